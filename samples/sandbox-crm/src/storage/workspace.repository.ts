import type { DatabaseSync } from 'node:sqlite';

/** A separate set of records; a credential may have access to several, and uses one per call. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** The workspaces in display order; the first is the default. */
export class WorkspaceRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  list(): readonly Workspace[] {
    const rows = this.#database.prepare('SELECT id, name FROM workspace ORDER BY position').all();
    return rows.map((row) => ({ id: String(row['id']), name: String(row['name']) }));
  }

  insert(workspace: Workspace, position: number): void {
    this.#database
      .prepare('INSERT INTO workspace (id, position, name) VALUES (?, ?, ?)')
      .run(workspace.id, position, workspace.name);
  }
}
