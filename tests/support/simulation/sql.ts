import type { DatabaseRow, SqlValue } from '../../../src/store/database.ts';

/** Rows by what makes them unique. */
export interface Table {
  unique: readonly string[];
  rows: Map<string, DatabaseRow>;
  /** What a new row has where nothing is said. */
  defaults?: DatabaseRow;
}
export type Tables = Record<string, Table>;

/** Called for every change, with what takes it back. */
export type Undo = (takeBack: () => void) => void;

type Run = (tables: Tables, values: SqlValue[], undo: Undo) => DatabaseRow[];
/** The rows in sight, the innermost first, with their names. */
type Scope = { name: string; row: DatabaseRow }[];
type Expression = (scope: Scope, values: SqlValue[], tables: Tables) => SqlValue | boolean;

export const keyOf = (table: Table, row: DatabaseRow): string =>
  table.unique.map((column) => row[column]).join('\n');

const known = new Map<string, Run>();

/** Carries out one of the few plain statements of the meter: one table, comparisons, sums, NOT EXISTS. */
export function runSql(
  sql: string,
  tables: Tables,
  values: SqlValue[] = [],
  undo: Undo = () => undefined,
): DatabaseRow[] {
  const run = known.get(sql) ?? compile(sql);
  known.set(sql, run);
  return run(tables, values, undo);
}

export function put(table: Table, row: DatabaseRow, undo: Undo): void {
  const key = keyOf(table, row);
  const before = table.rows.get(key);
  table.rows.set(key, row);
  undo(() => (before === undefined ? table.rows.delete(key) : table.rows.set(key, before)));
}

export function remove(table: Table, key: string, undo: Undo): void {
  const before = table.rows.get(key);
  if (before === undefined) return;
  table.rows.delete(key);
  undo(() => table.rows.set(key, before));
}

const TOKEN = /\s+|'[^']*'|[A-Za-z_]\w*|\d+|<=|>=|<>|[(),.*=<>?+/-]/gy;

function compile(sql: string): Run {
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => token.trim() !== '');
  if (tokens.join('') !== sql.replace(/\s+/g, '')) throw new Error(`the simulated disk cannot read: ${sql}`);
  const parser = createParser(tokens, sql);
  const run = parser.statement();
  parser.end();
  return run;
}

function createParser(tokens: string[], sql: string) {
  let position = 0;
  let marks = 0;
  const fail = (): never => {
    throw new Error(
      `the simulated disk does not know "${tokens.slice(position, position + 4).join(' ')}" in: ${sql}`,
    );
  };
  const peek = (): string => (tokens[position] ?? '').toUpperCase();
  const take = (...words: string[]): boolean => {
    if (!words.every((word, index) => tokens[position + index]?.toUpperCase() === word)) return false;
    position += words.length;
    return true;
  };
  const expect = (...words: string[]): void => {
    if (!take(...words)) fail();
  };
  const name = (): string => tokens[position++] ?? fail();
  const names = (): string[] => {
    expect('(');
    const list = [name()];
    while (take(',')) list.push(name());
    expect(')');
    return list;
  };

  const primary = (): Expression => {
    if (take('(')) {
      const inner = either();
      expect(')');
      return inner;
    }
    if (take('?')) {
      const index = marks++;
      return (_scope, values) => values[index] ?? null;
    }
    if (take('NULL')) return () => null;
    const token = name();
    if (token.startsWith("'")) return () => token.slice(1, -1);
    if (/^\d/.test(token)) return () => Number(token);
    if (!/^\w+$/.test(token)) fail();
    const column = take('.') ? name() : undefined;
    return (scope) => {
      const found = scope.find(({ name: of, row }) => (column === undefined ? token in row : of === token));
      if (found === undefined) throw new Error(`no column ${token} in: ${sql}`);
      return found.row[column ?? token] ?? null;
    };
  };
  const quotient = (): Expression => {
    const left = primary();
    if (!take('/')) return left;
    const right = primary();
    return (...all) => Math.trunc(Number(left(...all)) / Number(right(...all)));
  };
  const sum = (): Expression => {
    let left = quotient();
    for (;;) {
      const before = left;
      const sign = take('+') ? 1 : take('-') ? -1 : 0;
      if (sign === 0) return left;
      const right = quotient();
      left = (...all) => Number(before(...all)) + sign * Number(right(...all));
    }
  };
  const comparison = (): Expression => {
    const left = sum();
    if (take('IS')) {
      const isNot = take('NOT');
      expect('NULL');
      return (...all) => (left(...all) === null) !== isNot;
    }
    const compare = COMPARISONS[peek()];
    if (compare === undefined) return left;
    position += 1;
    const right = sum();
    return (...all) => {
      const [one, other] = [left(...all), right(...all)];
      return one !== null && other !== null && compare(one, other);
    };
  };
  const not = (): Expression => {
    if (take('NOT')) {
      const inner = not();
      return (...all) => !inner(...all);
    }
    if (!take('EXISTS')) return comparison();
    expect('(');
    expect('SELECT', '1', 'FROM');
    const of = name();
    const alias = peek() === 'WHERE' ? of : name();
    expect('WHERE');
    const where = either();
    expect(')');
    return (scope, values, tables) => {
      for (const row of tableOf(tables, of).rows.values())
        if (where([{ name: alias, row }, ...scope], values, tables) === true) return true;
      return false;
    };
  };
  const both = (): Expression => {
    const parts = [not()];
    while (take('AND')) parts.push(not());
    return parts.length === 1 ? (parts[0] as Expression) : (...all) => parts.every((part) => part(...all));
  };
  const either = (): Expression => {
    const parts = [both()];
    while (take('OR')) parts.push(both());
    return parts.length === 1 ? (parts[0] as Expression) : (...all) => parts.some((part) => part(...all));
  };

  const where = (): Expression => (take('WHERE') ? either() : () => true);
  const matching = (of: string, test: Expression) => (tables: Tables, values: SqlValue[]) =>
    [...tableOf(tables, of).rows.entries()].filter(
      ([, row]) => test([{ name: of, row }], values, tables) === true,
    );
  const assignments = (): [string, Expression][] => {
    const list: [string, Expression][] = [];
    do {
      const column = name();
      expect('=');
      list.push([column, sum()]);
    } while (take(','));
    return list;
  };

  const select = (): Run => {
    const columns: string[] = [];
    do columns.push(name());
    while (take(','));
    expect('FROM');
    const of = name();
    const find = matching(of, where());
    const order = take('ORDER', 'BY') ? [name()] : [];
    while (take(',')) order.push(name());
    const limit = take('LIMIT') ? sum() : undefined;
    return (tables, values) => {
      const rows = find(tables, values).map(([, row]) => row);
      if (order.length > 0) rows.sort((a, b) => compareBy(order, a, b));
      const first = limit === undefined ? rows : rows.slice(0, Number(limit([], values, tables)));
      if (columns[0] === '*') return first.map((row) => ({ ...row }));
      return first.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
    };
  };
  const insert = (): Run => {
    const of = name();
    const columns = names();
    expect('VALUES', '(');
    const given: Expression[] = [];
    do given.push(sum());
    while (take(','));
    expect(')');
    const hasConflict = take('ON', 'CONFLICT');
    if (hasConflict) names();
    const isIgnored = hasConflict && take('DO', 'NOTHING');
    const set = hasConflict && !isIgnored ? (expect('DO', 'UPDATE', 'SET'), assignments()) : [];
    return (tables, values, undo) => {
      const table = tableOf(tables, of);
      const row: DatabaseRow = { ...table.defaults };
      columns.forEach((column, index) => {
        row[column] = given[index]?.([], values, tables) as SqlValue;
      });
      const before = table.rows.get(keyOf(table, row));
      if (before === undefined) put(table, row, undo);
      else if (!hasConflict) throw new Error(`UNIQUE constraint failed: ${of}`);
      else if (!isIgnored) {
        const scope = [
          { name: of, row: before },
          { name: 'excluded', row },
        ];
        const changed = set.map(([column, value]) => [column, value(scope, values, tables)]);
        put(table, { ...before, ...Object.fromEntries(changed) }, undo);
      }
      return [];
    };
  };
  const update = (): Run => {
    const of = name();
    expect('SET');
    const set = assignments();
    const find = matching(of, where());
    return (tables, values, undo) => {
      for (const [, row] of find(tables, values)) {
        const scope = [{ name: of, row }];
        const changed = set.map(([column, value]) => [column, value(scope, values, tables)]);
        put(tableOf(tables, of), { ...row, ...Object.fromEntries(changed) }, undo);
      }
      return [];
    };
  };
  const erase = (): Run => {
    const of = name();
    const find = matching(of, where());
    return (tables, values, undo) => {
      for (const [key] of find(tables, values)) remove(tableOf(tables, of), key, undo);
      return [];
    };
  };
  return {
    statement: (): Run => {
      if (take('SELECT')) return select();
      if (take('INSERT', 'INTO')) return insert();
      if (take('UPDATE')) return update();
      if (take('DELETE', 'FROM')) return erase();
      return fail();
    },
    end: () => {
      if (position < tokens.length) fail();
    },
  };
}

function compareBy(columns: string[], one: DatabaseRow, other: DatabaseRow): number {
  for (const column of columns) {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a !== null && b !== null && a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

const COMPARISONS: Record<string, (one: SqlValue | boolean, other: SqlValue | boolean) => boolean> = {
  '=': (one, other) => one === other,
  '<>': (one, other) => one !== other,
  '<': (one, other) => Number(one) < Number(other),
  '<=': (one, other) => Number(one) <= Number(other),
  '>': (one, other) => Number(one) > Number(other),
  '>=': (one, other) => Number(one) >= Number(other),
};

function tableOf(tables: Tables, name: string): Table {
  const table = tables[name];
  if (table === undefined) throw new Error(`the simulated disk has no table ${name}`);
  return table;
}
