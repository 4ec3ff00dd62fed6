import type { z } from 'zod';
import type { GatewayContext } from '../door/context.ts';

/** The parsed input of an admin route: path parameters, query and body. */
export interface AdminInput<Query, Body> {
  params: Record<string, string>;
  query: Query;
  body: Body;
}

/** One route of the admin API. The console and the documentation use the same list of routes. */
export interface AdminRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  run(input: AdminInput<never, never>, gateway: GatewayContext): Promise<unknown>;
  /** Limits the input of a workspace key to its workspace, or refuses. Absent: operator only. */
  scopeToWorkspace?(
    input: AdminInput<never, never>,
    workspace: string,
    gateway: GatewayContext,
  ): Promise<unknown>;
}

/** Gives a literal its type from its schemas. */
export const defineRoute = <Query extends z.ZodType, Body extends z.ZodType>(route: {
  method: AdminRoute['method'];
  path: string;
  summary: string;
  query?: Query;
  body?: Body;
  run(input: AdminInput<z.output<Query>, z.output<Body>>, gateway: GatewayContext): Promise<unknown>;
  scopeToWorkspace?(
    input: AdminInput<z.output<Query>, z.output<Body>>,
    workspace: string,
    gateway: GatewayContext,
  ): Promise<AdminInput<z.output<Query>, z.output<Body>>>;
}): AdminRoute => route;
