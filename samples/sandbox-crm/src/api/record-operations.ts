import type { DatabaseSync } from 'node:sqlite';
import { Failure, invalid, notFound } from '../domain/failure.ts';
import { contactType, dealType, invoiceType } from '../domain/record-types.ts';
import type { CrmRecord, RecordType } from '../domain/record-types.ts';
import { inTransaction } from '../storage/database.ts';
import type { RecordRepository } from '../storage/record.repository.ts';
import type { RecordChange } from '../webhooks/subscription.ts';

/** Changes records and enforces the rules between their types. */
export class RecordOperations {
  readonly #database: DatabaseSync;
  readonly #records: RecordRepository;
  readonly #report: (change: RecordChange) => void;

  /** `report` is called with every stored change of which the vendor notifies subscribers. */
  constructor(database: DatabaseSync, records: RecordRepository, report: (change: RecordChange) => void) {
    this.#database = database;
    this.#records = records;
    this.#report = report;
  }

  get(type: RecordType, workspaceId: string, id: string): CrmRecord {
    const record = this.#records.find(type, workspaceId, id);
    if (record === undefined) throw notFound(type.name, id);
    return record;
  }

  create(type: RecordType, workspaceId: string, values: CrmRecord): CrmRecord {
    this.#checkContact(workspaceId, values);
    const now = new Date().toISOString();
    const times = type === dealType ? { createdAt: now, updatedAt: now } : { createdAt: now };
    const record = this.#records.insert(type, workspaceId, { ...values, ...times });
    if (type === contactType) this.#report({ event: 'contact.created', workspaceId, record });
    if (type === dealType) this.#report({ event: 'deal.created', workspaceId, record });
    return record;
  }

  update(type: RecordType, workspaceId: string, id: string, changes: CrmRecord): CrmRecord {
    this.get(type, workspaceId, id);
    this.#checkContact(workspaceId, changes);
    const times = type === dealType ? { updatedAt: new Date().toISOString() } : {};
    const record = this.#records.update(type, workspaceId, id, { ...changes, ...times });
    if (record === undefined) throw notFound(type.name, id);
    if (type === dealType) this.#report({ event: 'deal.updated', workspaceId, record });
    return record;
  }

  /** Deletes a contact. Its deals stay, without a contact; a contact with invoices cannot be deleted (409). */
  delete(type: RecordType, workspaceId: string, id: string): void {
    inTransaction(this.#database, () => {
      if (type === contactType) this.#releaseContact(workspaceId, id);
      if (!this.#records.delete(type, workspaceId, id)) throw notFound(type.name, id);
    });
  }

  #releaseContact(workspaceId: string, id: string): void {
    const invoices = this.#records.count(invoiceType, workspaceId, [
      { field: 'contactId', operator: 'eq', value: id },
    ]);
    if (invoices > 0) {
      throw new Failure(409, 'conflict', `Contact '${id}' has invoices (${invoices}) and cannot be deleted.`);
    }
    this.#records.unlinkContactFromDeals(workspaceId, id);
  }

  #checkContact(workspaceId: string, values: CrmRecord): void {
    const id = values['contactId'];
    if (typeof id !== 'string' || this.#records.find(contactType, workspaceId, id) !== undefined) return;
    throw invalid([{ field: 'contactId', message: `no contact with the id '${id}' in this workspace` }]);
  }
}
