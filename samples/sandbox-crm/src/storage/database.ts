import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Name of the database file in the data directory; the write-ahead log is beside it. */
const FILE_NAME = 'sandbox-crm.sqlite';

// Ids use sequence numbers that are never reused, so a deleted record's id cannot become the id of another record.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS workspace (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, name TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS contact (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, workspaceId TEXT NOT NULL, id TEXT AS ('con_' || seq),
    name TEXT NOT NULL, email TEXT, company TEXT, phone TEXT, createdAt TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS deal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, workspaceId TEXT NOT NULL, id TEXT AS ('deal_' || seq),
    title TEXT NOT NULL, amount REAL NOT NULL, currency TEXT NOT NULL, stage TEXT NOT NULL, contactId TEXT,
    createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS invoice (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, workspaceId TEXT NOT NULL, id TEXT AS ('inv_' || seq),
    contactId TEXT NOT NULL, amount REAL NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, createdAt TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS contact_id ON contact (workspaceId, id);
  CREATE UNIQUE INDEX IF NOT EXISTS deal_id ON deal (workspaceId, id);
  CREATE UNIQUE INDEX IF NOT EXISTS invoice_id ON invoice (workspaceId, id);
  CREATE INDEX IF NOT EXISTS deal_contact ON deal (workspaceId, contactId);
  CREATE INDEX IF NOT EXISTS invoice_contact ON invoice (workspaceId, contactId);
  CREATE TABLE IF NOT EXISTS oauth_entity (
    model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, grantId TEXT, uid TEXT,
    expiresAt INTEGER, consumedAt INTEGER, PRIMARY KEY (model, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS oauth_entity_grant ON oauth_entity (grantId) WHERE grantId IS NOT NULL;
  CREATE INDEX IF NOT EXISTS oauth_entity_uid ON oauth_entity (model, uid) WHERE uid IS NOT NULL;
  CREATE INDEX IF NOT EXISTS oauth_entity_expiry ON oauth_entity (expiresAt) WHERE expiresAt IS NOT NULL;
  CREATE TABLE IF NOT EXISTS webhook (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, workspaceId TEXT NOT NULL, id TEXT AS ('whk_' || seq),
    event TEXT NOT NULL, url TEXT NOT NULL, secret TEXT NOT NULL, createdAt TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS webhook_id ON webhook (id);
  CREATE INDEX IF NOT EXISTS webhook_event ON webhook (workspaceId, event);
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

/**
 * Opens the store in `dataDirectory` (created if missing, readable by the owner only), or in memory without one. A change is on disk when
 * its statement returns; if the process is killed, the finished changes remain.
 */
export function openDatabase(dataDirectory: string | undefined): DatabaseSync {
  if (dataDirectory !== undefined) mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(
    dataDirectory === undefined ? ':memory:' : join(dataDirectory, FILE_NAME),
  );
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;');
  database.exec(SCHEMA);
  return database;
}

/** Runs `change` in a transaction; if it throws, all of its statements are undone. */
export function inTransaction<T>(database: DatabaseSync, change: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = change();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Returns the stored value of a setting; the first call stores the result of `make`. */
export function settingOrNew(database: DatabaseSync, name: string, make: () => string): string {
  const row = database.prepare('SELECT value FROM setting WHERE name = ?').get(name);
  if (typeof row?.['value'] === 'string') return row['value'];
  const value = make();
  database.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run(name, value);
  return value;
}
