import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ListQuery } from '../domain/list-query.ts';
import type { CrmRecord, FieldValue, RecordType } from '../domain/record-types.ts';
import { orderClause, whereClause } from './list-statement.ts';

/** A page of records, and the number of records in all pages. */
export interface RecordPage {
  readonly items: readonly CrmRecord[];
  readonly totalCount: number;
}

/** Contacts, deals and invoices of all workspaces. Every operation sees one workspace only. */
export class RecordRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  list(type: RecordType, workspaceId: string, query: ListQuery): RecordPage {
    const where = whereClause(workspaceId, query.filters);
    const rows = this.#database
      .prepare(
        `SELECT ${columns(type)} FROM ${type.name} ${where.sql} ${orderClause(query.sorts)} LIMIT ? OFFSET ?`,
      )
      .all(...where.values, query.top, query.offset);
    return {
      items: rows.map((row) => toRecord(type, row)),
      totalCount: this.count(type, workspaceId, query.filters),
    };
  }

  count(type: RecordType, workspaceId: string, filters: ListQuery['filters']): number {
    const where = whereClause(workspaceId, filters);
    const row = this.#database
      .prepare(`SELECT count(*) AS n FROM ${type.name} ${where.sql}`)
      .get(...where.values);
    return Number(row?.['n']);
  }

  find(type: RecordType, workspaceId: string, id: string): CrmRecord | undefined {
    const row = this.#database
      .prepare(`SELECT ${columns(type)} FROM ${type.name} WHERE workspaceId = ? AND id = ?`)
      .get(workspaceId, id);
    return row === undefined ? undefined : toRecord(type, row);
  }

  /** Stores a new record and returns it with its id. `values` has a member for every field but `id`. */
  insert(type: RecordType, workspaceId: string, values: CrmRecord): CrmRecord {
    const names = ['workspaceId', ...Object.keys(values)];
    const row = this.#database
      .prepare(
        `INSERT INTO ${type.name} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
         RETURNING ${columns(type)}`,
      )
      .get(workspaceId, ...Object.values(values));
    if (row === undefined) throw new Error(`INSERT INTO ${type.name} returned no row`);
    return toRecord(type, row);
  }

  /** Sets the members of `changes`; undefined if there is no such record. */
  update(type: RecordType, workspaceId: string, id: string, changes: CrmRecord): CrmRecord | undefined {
    const assignments = Object.keys(changes).map((name) => `${quoted(name)} = ?`);
    const row = this.#database
      .prepare(
        `UPDATE ${type.name} SET ${assignments.join(', ')} WHERE workspaceId = ? AND id = ? RETURNING ${columns(type)}`,
      )
      .get(...Object.values(changes), workspaceId, id);
    return row === undefined ? undefined : toRecord(type, row);
  }

  /** Whether the record existed. */
  delete(type: RecordType, workspaceId: string, id: string): boolean {
    const result = this.#database
      .prepare(`DELETE FROM ${type.name} WHERE workspaceId = ? AND id = ?`)
      .run(workspaceId, id);
    return result.changes > 0;
  }

  /** Removes the contact from the deals that refer to it. */
  unlinkContactFromDeals(workspaceId: string, contactId: string): void {
    this.#database
      .prepare('UPDATE deal SET contactId = NULL WHERE workspaceId = ? AND contactId = ?')
      .run(workspaceId, contactId);
  }
}

function columns(type: RecordType): string {
  return Object.keys(type.fields).map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name}"`;
}

function toRecord(type: RecordType, row: Record<string, SQLOutputValue>): CrmRecord {
  return Object.fromEntries(Object.keys(type.fields).map((field) => [field, toFieldValue(row[field])]));
}

function toFieldValue(value: SQLOutputValue | undefined): FieldValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`a record column holds a ${typeof value}`);
}
