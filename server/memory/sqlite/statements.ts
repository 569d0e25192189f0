// Prepared statements of one database, each prepared once.
import type { DatabaseSync } from '@photostructure/sqlite';

export type Database = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Database['prepare']>;
export type BoundValue = string | number | Uint8Array;

export class Statements {
  readonly #db: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  get<Row>(sql: string, ...values: BoundValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: BoundValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  iterate<Row>(sql: string, ...values: BoundValue[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values) as Iterable<Row>;
  }

  run(sql: string, ...values: BoundValue[]): void {
    this.#prepare(sql).run(...values);
  }

  #prepare(sql: string): Statement {
    const known = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}
