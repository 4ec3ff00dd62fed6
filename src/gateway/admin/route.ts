import type { z } from 'zod';
import type { Role } from '../../core/roles.ts';
import type { Deed } from '../../store/audit.ts';
import type { GatewayContext } from '../door/context.ts';

/** The parsed input of an admin route: path parameters, query and body. */
export interface AdminInput<Query, Body> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The workspaces that a list is limited to; absent for all. */
  within?: readonly string[];
}

/** The workspaces that an administrator is limited to. */
export interface Reach {
  /** Where the administrator may do what was asked. */
  may: readonly string[];
  /** Where they may at least look. */
  sees(workspace: string): boolean;
}

/** One route of the admin API. The console and the documentation use the same list of routes. */
export interface AdminRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  /** The role that a person needs; by default a viewer reads and an admin writes. */
  role?: Role;
  query?: z.ZodType;
  body?: z.ZodType;
  run(input: AdminInput<never, never>, gateway: GatewayContext): Promise<unknown>;
  /** What the audit log says, for changes outside the store. */
  deed?(input: AdminInput<never, never>, answer: never): Deed;
  /** Limits the input of those who administer workspaces only, or refuses. Absent: operator only. */
  scopeToWorkspace?(input: AdminInput<never, never>, reach: Reach, gateway: GatewayContext): Promise<unknown>;
}

/** A route whose type says where it is and what it answers, for who calls it. */
interface TypedRoute<Method, Path, Answer> extends AdminRoute {
  method: Method & AdminRoute['method'];
  path: Path & string;
  run(input: AdminInput<never, never>, gateway: GatewayContext): Promise<Answer>;
}

/** Gives a literal its type from its schemas. */
export const defineRoute = <
  const Method extends AdminRoute['method'],
  const Path extends string,
  Answer,
  Query extends z.ZodType,
  Body extends z.ZodType,
>(route: {
  method: Method;
  path: Path;
  summary: string;
  role?: Role;
  query?: Query;
  body?: Body;
  run(input: AdminInput<z.output<Query>, z.output<Body>>, gateway: GatewayContext): Promise<Answer>;
  deed?(input: AdminInput<z.output<Query>, z.output<Body>>, answer: Answer): Deed;
  scopeToWorkspace?(
    input: AdminInput<z.output<Query>, z.output<Body>>,
    reach: Reach,
    gateway: GatewayContext,
  ): Promise<AdminInput<z.output<Query>, z.output<Body>>>;
}): TypedRoute<Method, Path, Answer> => route;

/** `/agents/:id` as the addresses that it stands for. */
type Address<Path> = Path extends `${infer Start}/:${string}/${infer Rest}`
  ? `${Start}/${string}/${Rest}`
  : Path extends `${infer Start}/:${string}`
    ? `${Start}/${string}`
    : Path;
type WithoutQuery<Asked> = Asked extends `${infer Path}?${string}` ? Path : Asked;

/** What a list of routes answers to a method and an address, as JSON carries it; a literal path wins over `:id`. */
export type AnswerOf<Routes, Method, Asked> = Answered<Routes, Method, WithoutQuery<Asked>>;
type Answered<Routes, Method, Path> = [Extract<Routes, { method: Method; path: Path }>] extends [never]
  ? Matching<Routes, Method, Path>
  : Matching<Extract<Routes, { path: Path }>, Method, Path>;
type Matching<Routes, Method, Path> =
  Routes extends TypedRoute<Method, infer Known, infer Answer>
    ? Path extends Address<Known>
      ? Answer
      : never
    : never;
