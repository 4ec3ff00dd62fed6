import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * The cost of scrypt: 128 MiB and a few tenths of a second, which a person does not notice and an attacker
 * does.
 */
export const PASSWORD_COST = 2 ** 17;
const COST = { r: 8, p: 1 };
const BYTES = 32;

/** Hashes a password. The result has the algorithm, its costs, the salt and the hash. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16);
  const result = await derive(password, salt, { N: cost, ...COST });
  return ['scrypt', cost, COST.r, COST.p, salt.toString('base64url'), result.toString('base64url')].join('$');
}

/**
 * Verifies a password. Without a stored one the same work is done, so that the duration does not reveal which
 * names exist.
 */
export async function isPassword(password: string, kept: string | undefined, cost: number): Promise<boolean> {
  const [, n = cost, r = COST.r, p = COST.p, salt = '', result = ''] = kept?.split('$') ?? [];
  const wanted = Buffer.from(result, 'base64url');
  const costs = { N: Number(n), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64url'), costs);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const derive = (
  password: string,
  salt: Buffer,
  costs: { N: number; r: number; p: number },
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The same letters typed on different keyboards are the same password.
    const text = password.normalize('NFKC');
    scrypt(text, salt, BYTES, { ...costs, maxmem: 256 * costs.N * costs.r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
