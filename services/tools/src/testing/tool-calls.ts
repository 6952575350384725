import type { ConnectorHead, ToolDefinition } from '@fairlead/connector-model/model';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { FROM_REST } from '../domain/call-origin.ts';
import type { ExecutionRecord } from '../domain/execution.ts';
import type { Connection } from '../domain/target.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Connections, CredentialResult } from '../ports/connections.ts';
import type { History } from '../ports/history.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import { createOutputMasker } from '../masking/output-masker.ts';
import type { OutputMasker } from '../ports/output-masker.ts';
import { createSchemaValidator } from '../schemas/schema-validator.ts';
import type { ExecuteToolRequest } from '../use-cases/executions/execute-tool.ts';
import { connectorHead, toolDefinition } from './fixtures.ts';

/** A call of the tool in fixtures.ts with the default connection and the required input. */
export function toolRequest(o: Partial<ExecuteToolRequest> = {}): ExecuteToolRequest {
  return {
    origin: FROM_REST,
    toolSlug: toolDefinition().toolSlug,
    applicationSlug: '',
    connectionId: undefined,
    toolsetId: undefined,
    endUserId: undefined,
    fields: { name: 'Ada' },
    schemaProfile: '',
    filters: [],
    sorts: [],
    top: undefined,
    offset: undefined,
    dryRun: false,
    ...o,
  };
}

/** A licensed connection to the application in fixtures.ts. */
export function connection(o: Partial<Connection> = {}): Connection {
  return {
    id: 7,
    applicationSlug: connectorHead().slug,
    authenticationId: 1,
    isLicensed: true,
    isDefault: true,
    endUserId: null,
    ...o,
  };
}

/** A catalogue with one tool, the platform's by default. */
export function catalogOf(
  definition: ToolDefinition,
  connector: ConnectorHead,
  { isPlatform = true }: { readonly isPlatform?: boolean | undefined } = {},
): Catalog {
  return {
    resolveTool: () => Promise.resolve([{ applicationSlug: connector.slug, isPlatform, definition }]),
    getConnector: () => Promise.resolve(connector),
  };
}

/** Checks the platform's schemas. Accounts' own cannot be used, because there are no workers. */
export function platformSchemas(log: Logger): SchemaValidator {
  return createSchemaValidator({ log, workers: { evaluate: () => Promise.resolve({ kind: 'unusable' }) } });
}

/** Masks synchronously, because no test value is large. */
export const maskingInPlace: OutputMasker = createOutputMasker({
  mask: () => Promise.resolve(undefined),
  finish: () => Promise.resolve(undefined),
  collectSecrets: () => Promise.resolve(undefined),
});

/** An account with one connection, the default, and its credential. */
export function connectionsOf(only: Connection, credential: CredentialResult): Connections {
  return {
    getConnection: () => Promise.resolve(only),
    getDefault: () => Promise.resolve(only),
    listDefaults: () => Promise.resolve([only]),
    findConnections: () => Promise.resolve([only]),
    readToolsAgain: () => Promise.resolve(false),
    getCredentials: () => Promise.resolve(credential),
    addNeededScopes: () => Promise.resolve(),
  };
}

/** A row of MemoryHistory. */
interface MemoryRow extends ExecutionRecord {
  readonly accountId: string;
  readonly isSettled: boolean;
}

/** The writing half of a history, in memory. */
export class MemoryHistory implements Pick<History, 'insert' | 'begin' | 'settle' | 'remove'> {
  readonly rows = new Map<number, MemoryRow>();
  /** The writes that fail. */
  readonly #broken: readonly (keyof History)[];

  constructor(...broken: readonly (keyof History)[]) {
    this.#broken = broken;
  }

  insert: History['insert'] = async (_ctx, accountId, record, isSettled) => {
    await this.#write('insert');
    const historyId = this.rows.size + 1;
    this.rows.set(historyId, { ...record, accountId, isSettled });
    return historyId;
  };

  begin: History['begin'] = async (ctx, accountId, record) => {
    await this.#write('begin');
    return this.insert(ctx, accountId, record, false);
  };

  settle: History['settle'] = async (accountId, historyId, record) => {
    await this.#write('settle');
    this.rows.set(historyId, { ...record, accountId, isSettled: true });
    return historyId;
  };

  remove: History['remove'] = async (_accountId, historyId) => {
    await this.#write('remove');
    this.rows.delete(historyId);
  };

  #write(name: keyof History): Promise<void> {
    return this.#broken.includes(name) ? Promise.reject(new Error('no database')) : Promise.resolve();
  }
}
