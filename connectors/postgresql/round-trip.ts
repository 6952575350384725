import { Query } from 'pg';
import type { Client, Connection, FieldDef } from 'pg';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** Takes the rows of a statement as they arrive. An error that it throws ends the connection. */
export interface RowReader {
  columns(fields: readonly FieldDef[]): void;
  row(values: readonly (string | null)[]): void;
}

/** Precedes a statement in the same round trip: after an error in it the database skips the statement. */
export interface Preparation {
  /** Run, without values or rows. */
  readonly statements: readonly string[];
  /** Parsed and never run. */
  readonly parsed: readonly string[];
  /** The first of the statements has ended; the database reports that at once. */
  readonly onFirstDone: () => void;
}

/** The part of pg's Query that its types leave out. */
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
    // The types of pg do not know `queryMode` yet.
    const config = { text: o.text, values: [...o.values], queryMode: 'extended' };
    const query = new Query(config);
    const { submit } = query;
    // The types of pg do not know its handlers.
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

/** Runs statements without rows, each in a transaction of its own, in one round trip. Throws the first DatabaseError. */
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
      // At once, so that the answer to the next one meets it.
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
