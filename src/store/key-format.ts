import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^hg_live_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const SECRET_CHARS = 43;

/**
 * Creates an API key, `hg_live_<id>_<secret>_<checksum>`: secret scanners recognise it, the ID finds it, and
 * a typing error is detected without the database.
 */
export function newApiKey(random: (size: number) => Buffer = randomBytes): { id: string; key: string } {
  const id = base62(random(6), 8);
  const secret = base62(random(32), SECRET_CHARS);
  return { id, key: `hg_live_${id}_${secret}_${checksum(id, secret)}` };
}

/** Creates an access token of a signed-in client. */
export const newAccessToken = (): string => `${ACCESS_TOKEN}${randomBytes(32).toString('base64url')}`;

const ACCESS_TOKEN = 'hg_oat_';

/** Whether a secret has the form of an access token. */
export const isAccessToken = (secret: string): boolean => secret.startsWith(ACCESS_TOKEN);

/** The hash that is stored instead of a token. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The ID in a key, if the key is well formed. */
export function keyIdOf(key: string): string | undefined {
  const match = SHAPE.exec(key);
  if (match === null) return undefined;
  const [, id = '', secret = '', sum] = match;
  return sum === checksum(id, secret) ? id : undefined;
}

/** The hash that is stored instead of a key. The secret is random, so a slow hash would add nothing. */
export const hashOfKey = (key: string, pepper: string): string =>
  pepper === ''
    ? createHash('sha256').update(key).digest('hex')
    : createHmac('sha256', pepper).update(key).digest('hex');

const DUMMY = '0'.repeat(64);

/** Compares in constant time. An unknown ID is compared with a dummy, so that it takes as long. */
export function isKeyHash(hash: string | undefined, key: string, pepper: string): boolean {
  const same = timingSafeEqual(
    Buffer.from(hash ?? DUMMY, 'latin1'),
    Buffer.from(hashOfKey(key, pepper), 'latin1'),
  );
  return same && hash !== undefined;
}

const checksum = (id: string, secret: string): string => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(`${id}_${secret}`));
  return base62(sum, 6);
};

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let result = '';
  for (let index = 0; index < length; index += 1) {
    result = ALPHABET[Number(rest % 62n)] + result;
    rest /= 62n;
  }
  return result;
}
