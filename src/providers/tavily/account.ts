import { own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import { numberAt } from '../kit/json-path.ts';
import { readAnyJson } from '../kit/read-json.ts';
import type { AccountAdapter } from '../provider.ts';
import { TAVILY, type TavilySettings } from './wire.ts';

/** Tavily's /usage: what the plan and the key have left, of which the smaller one counts. */
export const tavilyAccount: AccountAdapter<TavilySettings> = {
  unit: own`credits`,
  request: ({ base_url }, key) => ({
    method: 'GET',
    url: `${base_url}/usage`,
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
  }),
  left: (response: HttpResponse) => {
    const answer = readAnyJson(response, TAVILY);
    const left = [
      ['key.limit', 'key.usage'],
      ['account.plan_limit', 'account.plan_usage'],
    ].flatMap(([limit = '', usage = '']) => {
      const most = numberAt(answer, limit);
      return most === undefined ? [] : [most - (numberAt(answer, usage) ?? 0)];
    });
    return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
  },
};
