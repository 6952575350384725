import type { DatabaseSync } from 'node:sqlite';

/** A stored entity of the OAuth server: a token, a grant, a session or an unfinished sign-in. */
export interface OAuthEntity {
  readonly payload: Readonly<Record<string, unknown>>;
  /** When it was first used, in seconds since 1970. */
  readonly consumedAt: number | undefined;
}

/** Columns to search by, in addition to model and id; times are seconds since 1970. */
export interface OAuthEntityKeys {
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  readonly expiresAt: number | undefined;
}

/** Stores all entities of the OAuth server that must survive a restart. */
export class OAuthEntityRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Stores an entity; replaces one with the same id, but keeps its time of use. */
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

  /** Marks the first use. Returns false if the entity was used before (the first time stays) or is gone. */
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

  /** Deletes all grants, with the tokens issued for them; returns the number of grants. */
  deleteAllGrants(): number {
    const grants = this.#database.prepare(`DELETE FROM oauth_entity WHERE model = 'Grant'`).run();
    this.#database
      .prepare(`DELETE FROM oauth_entity WHERE model IN ('AccessToken', 'RefreshToken', 'AuthorizationCode')`)
      .run();
    return Number(grants.changes);
  }

  /** Expires every access token, including those of client credentials; returns how many were valid. */
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

  /** Deletes entities that expired before `time`. */
  deleteExpired(time: number): void {
    this.#database.prepare('DELETE FROM oauth_entity WHERE expiresAt < ?').run(time);
  }
}
