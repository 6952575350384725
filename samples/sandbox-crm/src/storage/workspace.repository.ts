import type { DatabaseSync } from 'node:sqlite';

/** A separate set of records; a credential may see several and works in one at a time. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** The workspaces, in the order in which they are offered; the first is the default. */
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
