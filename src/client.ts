// The public API of `headgate/client`: a remote gateway from any JavaScript that has `fetch`.
export { createClient, type Client, type ClientOptions, type RequestOptions } from './client/client.ts';
export { HeadgateError } from './core/errors.ts';
export type * from './client/types.ts';
