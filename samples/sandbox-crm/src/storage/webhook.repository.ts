import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { webhookEvents } from '../webhooks/subscription.ts';
import type { Subscription, WebhookEvent } from '../webhooks/subscription.ts';

const COLUMNS = 'id, workspaceId, event, url, secret, createdAt';

/** The webhook subscriptions of all workspaces. They survive a restart and a reset of the sample data. */
export class WebhookRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The subscriptions of a workspace, or of all, oldest first. */
  list(workspaceId: string | undefined): readonly Subscription[] {
    const statement =
      workspaceId === undefined
        ? this.#database.prepare(`SELECT ${COLUMNS} FROM webhook ORDER BY seq`)
        : this.#database.prepare(`SELECT ${COLUMNS} FROM webhook WHERE workspaceId = ? ORDER BY seq`);
    return statement.all(...(workspaceId === undefined ? [] : [workspaceId])).map(toSubscription);
  }

  count(workspaceId: string): number {
    const row = this.#database
      .prepare('SELECT count(*) AS n FROM webhook WHERE workspaceId = ?')
      .get(workspaceId);
    return Number(row?.['n']);
  }

  find(workspaceId: string, id: string): Subscription | undefined {
    const row = this.#database
      .prepare(`SELECT ${COLUMNS} FROM webhook WHERE workspaceId = ? AND id = ?`)
      .get(workspaceId, id);
    return row === undefined ? undefined : toSubscription(row);
  }

  /** Whether the subscription still exists, in any workspace. */
  has(id: string): boolean {
    return this.#database.prepare('SELECT 1 FROM webhook WHERE id = ?').get(id) !== undefined;
  }

  subscribers(workspaceId: string, event: WebhookEvent): readonly Subscription[] {
    return this.#database
      .prepare(`SELECT ${COLUMNS} FROM webhook WHERE workspaceId = ? AND event = ? ORDER BY seq`)
      .all(workspaceId, event)
      .map(toSubscription);
  }

  /** Stores a subscription and returns it with its id. The same address may be subscribed several times. */
  insert(values: Omit<Subscription, 'id'>): Subscription {
    const { workspaceId, event, url, secret, createdAt } = values;
    const row = this.#database
      .prepare(
        `INSERT INTO webhook (workspaceId, event, url, secret, createdAt) VALUES (?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      )
      .get(workspaceId, event, url, secret, createdAt);
    if (row === undefined) throw new Error('INSERT INTO webhook returned no row');
    return toSubscription(row);
  }

  /** Whether the subscription existed. */
  delete(workspaceId: string, id: string): boolean {
    const statement = this.#database.prepare('DELETE FROM webhook WHERE workspaceId = ? AND id = ?');
    return statement.run(workspaceId, id).changes > 0;
  }

  /** Removes the subscriptions of an address, or all; returns their number. */
  deleteAll(url: string | undefined): number {
    const result =
      url === undefined
        ? this.#database.prepare('DELETE FROM webhook').run()
        : this.#database.prepare('DELETE FROM webhook WHERE url = ?').run(url);
    return Number(result.changes);
  }
}

function toSubscription(row: Record<string, SQLOutputValue>): Subscription {
  const event = webhookEvents.find((name) => name === row['event']);
  if (event === undefined) throw new Error('a webhook row holds an unknown event');
  return {
    id: String(row['id']),
    workspaceId: String(row['workspaceId']),
    event,
    url: String(row['url']),
    secret: String(row['secret']),
    createdAt: String(row['createdAt']),
  };
}
