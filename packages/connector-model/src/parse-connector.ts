import { checkJson, decodeJson, InvalidConnectorError } from './codec.ts';
import type { ConnectorIssue } from './codec.ts';
import { connectorProblems } from './gates/connector.ts';
import { pathText } from './gates/problem.ts';
import { foreignSchemaCheck } from './gates/schemas.ts';
import { isDeeperThan, MAX_CONNECTOR_BYTES, MAX_CONNECTOR_DEPTH } from './limits.ts';
import type { Connector } from './model.ts';
import { connectorSchema } from './schema/connector.ts';

const MAX_ISSUES = 50;

/**
 * Decodes a compiled connector from outside (an import, an MCP server), and checks it against the model and all rules
 * of the compile step, except those about manifests. Foreign schemas are not compiled. Throws InvalidConnectorError
 * with the first 50 problems. Limits: 8 MiB of JSON, 40 levels, 1 000 tools, 64 KiB per schema. Settings, handlers
 * and trigger types are reserved for the platform and refused. Unknown members are dropped.
 */
export function parseConnector(bytes: Uint8Array): Connector {
  const connector = decodeConnector(bytes);
  const issues = [
    ...connectorProblems(connector, foreignSchemaCheck).map(({ path, message }) => ({
      path: pathText(path),
      message,
    })),
    ...(connector.settings.length > 0
      ? [{ path: 'settings', message: 'are reserved for the platform' }]
      : []),
    ...connector.tools.flatMap(({ execution }, index) =>
      execution.type === 'handler'
        ? [{ path: `tools[${index}].execution`, message: 'handlers are reserved for the platform' }]
        : [],
    ),
    ...(connector.triggerTypes.length > 0
      ? [{ path: 'triggerTypes', message: 'are reserved for the platform' }]
      : []),
  ];
  if (issues.length > 0) throw firstOf(issues);
  return connector;
}

function decodeConnector(bytes: Uint8Array): Connector {
  if (bytes.length > MAX_CONNECTOR_BYTES) {
    throw wholeIs(`is larger than ${MAX_CONNECTOR_BYTES / 1024 / 1024} MiB`);
  }
  const json = decodeJson(bytes);
  // Check the depth first, because the other checks recurse.
  if (isDeeperThan(json, MAX_CONNECTOR_DEPTH)) {
    throw wholeIs(`is nested deeper than ${MAX_CONNECTOR_DEPTH} levels`);
  }
  try {
    return checkJson(connectorSchema, json);
  } catch (error) {
    throw error instanceof InvalidConnectorError ? firstOf(error.issues) : error;
  }
}

function wholeIs(message: string): InvalidConnectorError {
  return new InvalidConnectorError([{ path: '', message }]);
}

function firstOf(issues: readonly ConnectorIssue[]): InvalidConnectorError {
  return new InvalidConnectorError(issues.slice(0, MAX_ISSUES));
}
