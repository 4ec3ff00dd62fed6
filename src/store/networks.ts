import { BlockList, isIP } from 'node:net';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';

/** Validates a list of networks: addresses or CIDR ranges. */
export function checkedNetworks(networks: readonly string[]): string[] {
  if (networks.length > LIMITS.networksPerKeyMax)
    throw new HeadgateError('invalid_request', own`networks: at most ${LIMITS.networksPerKeyMax}.`);
  const list = networks.map((network) => network.trim());
  for (const network of list)
    if (!addNetwork(new BlockList(), network))
      throw new HeadgateError(
        'invalid_request',
        own`networks: "${named(network.slice(0, 60))}" is not one.`,
        {
          remediation: 'Write addresses or ranges, such as 192.0.2.7 or 10.0.0.0/8.',
        },
      );
  return list;
}

/** Whether an address is in one of the networks; with no networks, every address is. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  // A socket that listens on IPv6 shows IPv4 clients in this form.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(plain);
  if (version === 0) return false;
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  return list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

function addNetwork(list: BlockList, network: string): boolean {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(network) ?? [];
  const version = isIP(address);
  if (version === 0) return false;
  const most = version === 6 ? 128 : 32;
  if (Number(bits ?? most) > most) return false;
  list.addSubnet(address, Number(bits ?? most), version === 6 ? 'ipv6' : 'ipv4');
  return true;
}
