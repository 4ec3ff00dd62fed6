import { expect, test } from 'vitest';
import { connectionError, postgresError } from './errors.ts';

const refused = (code: string) => Object.assign(new Error('as the server says it'), { code });

test.each([
  ['28P01', 'PostgreSQL refuses the password of the role.'],
  ['28000', 'PostgreSQL rejects this role.'],
  ['3D000', 'PostgreSQL has no database of this name.'],
  ['42501', 'The PostgreSQL role may not use this database.'],
  ['53300', 'PostgreSQL has no free connections.'],
])('state %s is told as what it is', (state, message) => {
  expect(connectionError(refused(state))).toMatchObject({ code: 'storage_unavailable', message });
  expect(postgresError(refused(state)).message).toBe(message);
});

test('a server that is not there cannot be reached', () => {
  expect(connectionError(refused('ECONNREFUSED')).message).toContain('PostgreSQL cannot be reached');
});
