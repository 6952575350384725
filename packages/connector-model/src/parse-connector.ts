import { connectorProblems } from './gates/connector.ts';
import { pathText } from './gates/problem.ts';
import { foreignSchemaCheck } from './gates/schemas.ts';
import { isDeeperThan, jsonBytes, MAX_CONNECTOR_BYTES, MAX_CONNECTOR_DEPTH } from './limits.ts';
import type { Connector } from './model.ts';
import { connectorSchema } from './schema/connector.ts';

/** One thing wrong with a connector that was sent; `path` is empty where the whole is meant. */
export interface ConnectorIssue {
  readonly path: string;
  readonly message: string;
}

/** A connector that may not enter the catalogue. `issues` holds at least one. */
export class InvalidConnectorError extends Error {
  override readonly name = 'InvalidConnectorError';
  readonly issues: readonly ConnectorIssue[];

  constructor(issues: readonly ConnectorIssue[]) {
    super(issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.issues = issues;
  }
}

const MAX_ISSUES = 50;

/**
 * A compiled connector that arrived from outside (an import, an MCP server), checked against the model and every rule
 * of the compile step that does not concern manifests; foreign schemas are not compiled. Throws InvalidConnectorError listing what is wrong (the first
 * 50). At most 8 MiB of JSON, 40 levels deep, 1 000 tools, 64 KiB a schema. Settings and handlers are the platform's
 * own: refused.
 */
export function parseConnector(json: unknown): Connector {
  // Depth first: the checks after it recurse.
  if (isDeeperThan(json, MAX_CONNECTOR_DEPTH))
    refuse([{ path: '', message: `is nested deeper than ${String(MAX_CONNECTOR_DEPTH)} levels` }]);
  if (jsonBytes(json) > MAX_CONNECTOR_BYTES) {
    refuse([{ path: '', message: `is larger than ${String(MAX_CONNECTOR_BYTES / 1024 / 1024)} MiB` }]);
  }
  const parsed = connectorSchema.safeParse(json);
  if (!parsed.success) {
    refuse(parsed.error.issues.map(({ path, message }) => ({ path: pathText(path.map(stepOf)), message })));
  }
  const connector: Connector = parsed.data;
  const problems = [
    ...connectorProblems(connector, foreignSchemaCheck),
    ...(connector.settings.length > 0 ? [{ path: ['settings'], message: "are the platform's own" }] : []),
    ...connector.tools.flatMap(({ execution }, index) =>
      execution.type === 'handler'
        ? [{ path: ['tools', index, 'execution'], message: "handlers are the platform's own" }]
        : [],
    ),
  ];
  if (problems.length > 0) refuse(problems.map(({ path, message }) => ({ path: pathText(path), message })));
  return connector;
}

function refuse(issues: readonly ConnectorIssue[]): never {
  throw new InvalidConnectorError(issues.slice(0, MAX_ISSUES));
}

function stepOf(step: PropertyKey): string | number {
  return typeof step === 'symbol' ? step.toString() : step;
}
