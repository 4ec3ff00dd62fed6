import { listed, own, warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import { isNewcomer } from '../../routing/chain.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';

/** Who is asked where nobody set up anything, in the first answer of a process: no query goes anywhere unsaid. */
export function keylessNotice(chain: ReadyProvider[], services: Services): OwnText[] {
  const { told, config, providers } = services;
  if (told.has('keyless') || config.search.keyless !== undefined || !isNewcomer(services)) return [];
  told.add('keyless');
  const titles = (some: ReadyProvider[]): OwnText => listed(some.map(({ provider }) => provider.title));
  const sources = config.search.topics === 'never' ? [] : providers.filter(({ provider }) => provider.topic);
  const [first, ...rest] = chain;
  const then = rest.length === 0 ? '' : own`, then ${titles(rest)}`;
  const last = sources.length === 0 ? '' : own`; by topic, if none of them answers: ${titles(sources)}`;
  const whom = own`${first === undefined ? 'nobody' : titles([first])}${then}${last}`;
  return [
    warned`No search provider is set up. Without a key these are asked: ${whom}. [search] keyless limits them.`,
  ];
}
