import type { DatabaseSync } from 'node:sqlite';

/** A token, grant, session or half-done sign-in, as the OAuth server keeps it. */
export interface OAuthEntity {
  readonly payload: Readonly<Record<string, unknown>>;
  /** When it was used up, in seconds since 1970. */
  readonly consumedAt: number | undefined;
}

/** Columns an entity is found by, beside its model and id; times are seconds since 1970. */
export interface OAuthEntityKeys {
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  readonly expiresAt: number | undefined;
}

/** Everything the OAuth server must keep across restarts. */
export class OAuthEntityRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Stores an entity, replacing one of the same id but for its use. */
  upsert(model: string, id: string, payload: object, keys: OAuthEntityKeys): void {
    this.#database
      .prepare(
        `INSERT INTO oauth_entity (model, id, payload, grantId, uid, expiresAt) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (model, id) DO UPDATE
         SET payload = excluded.payload, grantId = excluded.grantId, uid = excluded.uid, expiresAt = excluded.expiresAt`,
      )
      .run(
        model,
        id,
        JSON.stringify(payload),
        keys.grantId ?? null,
        keys.uid ?? null,
        keys.expiresAt ?? null,
      );
  }

  find(model: string, key: 'id' | 'uid', value: string): OAuthEntity | undefined {
    const row = this.#database
      .prepare(`SELECT payload, consumedAt FROM oauth_entity WHERE model = ? AND ${key} = ?`)
      .get(model, value);
    if (row === undefined) return undefined;
    const payload: unknown = JSON.parse(String(row['payload']));
    if (typeof payload !== 'object' || payload === null) throw new Error(`stored ${model} is no object`);
    return {
      payload: { ...payload },
      consumedAt: row['consumedAt'] === null ? undefined : Number(row['consumedAt']),
    };
  }

  /** Marks first use; false where the entity had been used (the first time stands) or is gone. */
  consume(model: string, id: string, now: number): boolean {
    const result = this.#database
      .prepare('UPDATE oauth_entity SET consumedAt = ? WHERE model = ? AND id = ? AND consumedAt IS NULL')
      .run(now, model, id);
    return result.changes > 0;
  }

  delete(model: string, id: string): void {
    this.#database.prepare('DELETE FROM oauth_entity WHERE model = ? AND id = ?').run(model, id);
  }

  deleteOfGrant(model: string, grantId: string): void {
    this.#database.prepare('DELETE FROM oauth_entity WHERE model = ? AND grantId = ?').run(model, grantId);
  }

  /** Deletes every grant with all that was issued on it, and returns how many grants there were. */
  deleteAllGrants(): number {
    const grants = this.#database.prepare(`DELETE FROM oauth_entity WHERE model = 'Grant'`).run();
    this.#database
      .prepare(`DELETE FROM oauth_entity WHERE model IN ('AccessToken', 'RefreshToken', 'AuthorizationCode')`)
      .run();
    return Number(grants.changes);
  }

  /** Expires every access token, those of client credentials too; returns how many were alive. */
  expireAccessTokens(now: number): number {
    const result = this.#database
      .prepare(
        `UPDATE oauth_entity SET payload = json_set(payload, '$.exp', ?), expiresAt = ?
         WHERE model IN ('AccessToken', 'ClientCredentials') AND expiresAt > ?`,
      )
      .run(now, now, now);
    return Number(result.changes);
  }

  countGrants(now: number): number {
    const row = this.#database
      .prepare(`SELECT count(*) AS n FROM oauth_entity WHERE model = 'Grant' AND expiresAt > ?`)
      .get(now);
    return Number(row?.['n']);
  }

  /** Deletes what expired before `time`. */
  deleteExpired(time: number): void {
    this.#database.prepare('DELETE FROM oauth_entity WHERE expiresAt < ?').run(time);
  }
}
