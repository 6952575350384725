import { Query } from 'pg';
import type { Client, Connection, FieldDef } from 'pg';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** Receives the rows of a statement as they arrive. If it throws, the connection is ended. */
export interface RowReader {
  columns(fields: readonly FieldDef[]): void;
  row(values: readonly (string | null)[]): void;
}

/** Statements before the main statement in the same round trip. If one fails, the database skips the main statement. */
export interface Preparation {
  /** Statements that run, without values or rows. */
  readonly statements: readonly string[];
  /** Statements that are parsed and never run. */
  readonly parsed: readonly string[];
  /** Called when the first statement has ended, which the database reports at once. */
  readonly onFirstDone: () => void;
}

/** The members of pg's Query that its types omit. */
interface QueryHandlers {
  handleRowDescription(message: { readonly fields: readonly FieldDef[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

/**
 * Runs one statement in the extended protocol, which accepts no second statement after a semicolon, and returns the
 * number of rows that it returned or affected. Throws DatabaseError.
 */
export function runStatement(
  client: Client,
  o: {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly preparation?: Preparation | undefined;
    readonly rows: RowReader;
  },
): Promise<number> {
  const { statements, parsed, onFirstDone } = o.preparation ?? {
    statements: [],
    parsed: [],
    onFirstDone: () => undefined,
  };
  let prepared = 0;
  const defect = (): HandlerError | undefined =>
    prepared < statements.length
      ? new HandlerError('The server does not follow the PostgreSQL protocol: a statement has no end.')
      : undefined;
  return new Promise((resolve, reject) => {
    // The types of pg omit `queryMode`.
    const config = { text: o.text, values: [...o.values], queryMode: 'extended' };
    const query = new Query(config);
    const { submit } = query;
    // The types of pg omit the handlers.
    const driver = query as unknown as QueryHandlers;
    const complete = driver.handleCommandComplete.bind(query);
    const handlers: QueryHandlers = {
      handleRowDescription: ({ fields }) => o.rows.columns(fields),
      handleDataRow: ({ fields }) => {
        const error = defect();
        if (error !== undefined) throw error;
        o.rows.row(fields);
      },
      handleCommandComplete: (message, connection) => {
        if (prepared === statements.length) {
          complete(message, connection);
          return;
        }
        prepared += 1;
        if (prepared === 1) onFirstDone();
      },
    };
    query.on('error', reject);
    query.on('end', ({ rowCount }) => {
      const error = defect();
      if (error === undefined) resolve(rowCount ?? 0);
      else reject(error);
    });
    const submitAll = (connection: Connection): void => {
      inOneWrite(connection, () => {
        statements.forEach((text, index) => {
          connection.parse({ name: '', text, types: [] }, true);
          connection.bind({}, true);
          connection.execute(null, true);
          if (index === 0) connection.flush();
        });
        for (const text of parsed) connection.parse({ name: '', text, types: [] }, true);
        submit.call(query, connection);
      });
    };
    client.query(Object.assign(query, handlers, { submit: submitAll }));
  });
}

/** Runs statements without rows in one round trip, each in its own transaction. Throws the first DatabaseError. */
export function runTogether(client: Client, texts: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const run = (index: number): void => {
      const text = texts[index];
      if (text === undefined) {
        resolve();
        return;
      }
      const query = new Query(text);
      query.on('error', reject);
      // Set at once, so that it receives the answer to the next statement.
      query.on('end', () => run(index + 1));
      const submit = (connection: Connection): void => {
        if (index > 0) return;
        inOneWrite(connection, () => {
          for (const each of texts) connection.query(each);
        });
      };
      client.query(Object.assign(query, { submit }));
    };
    run(0);
  });
}

function inOneWrite({ stream }: Connection, write: () => void): void {
  stream.cork();
  try {
    write();
  } finally {
    stream.uncork();
  }
}
