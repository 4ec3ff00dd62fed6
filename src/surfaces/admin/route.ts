import type { z } from 'zod';
import type { HttpWorld } from '../http/world.ts';

/** What an admin route gets: path parameters, and query and body as their schemas made them. */
export interface AdminInput<Query, Body> {
  params: Record<string, string>;
  query: Query;
  body: Body;
}

/** One route of the admin API. The API is a list of them; the console and the documentation read the same list. */
export interface AdminRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  run(input: AdminInput<never, never>, world: HttpWorld): Promise<unknown>;
  /** For the keys of a workspace: the input held to what is theirs, or a refusal. Absent: the operator's alone. */
  within?(input: AdminInput<never, never>, workspace: string, world: HttpWorld): Promise<unknown>;
}

/** Gives a literal its type from its schemas. */
export const defineRoute = <Query extends z.ZodType, Body extends z.ZodType>(route: {
  method: AdminRoute['method'];
  path: string;
  summary: string;
  query?: Query;
  body?: Body;
  run(input: AdminInput<z.output<Query>, z.output<Body>>, world: HttpWorld): Promise<unknown>;
  within?(
    input: AdminInput<z.output<Query>, z.output<Body>>,
    workspace: string,
    world: HttpWorld,
  ): Promise<AdminInput<z.output<Query>, z.output<Body>>>;
}): AdminRoute => route;
