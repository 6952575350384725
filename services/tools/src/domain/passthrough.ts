import type { JsonObject } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Candidate, Connection } from './target.ts';

/** Inputs that the history masks in addition to the connection's secrets: the caller's own credentials. */
const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    headers: {
      type: 'object',
      properties: { authorization: { writeOnly: true }, cookie: { writeOnly: true } },
    },
  },
};

const OUTPUT_SCHEMA: JsonObject = { type: 'object' };

/**
 * The tool that represents the caller's own requests to the API of `connector`; only read methods are retried after a transient failure.
 * NOT_FOUND for an on-prem application, VALIDATION_ERROR for one without a base URL.
 */
export function passthroughTool(
  connector: ConnectorHead,
  { authenticationId }: Pick<Connection, 'authenticationId'>,
  method: string,
): Candidate {
  if (connector.kind === 'OPA') throw notFound('connection');
  const used = connector.authenticationMethods.find((each) => each.authenticationId === authenticationId);
  if ((used?.baseUrl ?? connector.baseUrl) === null) {
    throw validationError({
      field: 'path',
      issue: `cannot be requested: the application ${connector.slug} has no base URL for this connection`,
    });
  }
  return {
    applicationSlug: connector.slug,
    isPlatform: true,
    definition: {
      toolSlug: `${connector.slug}-request`,
      toolName: 'Request',
      description: 'Sends a request of the caller’s own to the application’s API.',
      category: '',
      version: connector.version,
      aliases: [],
      isDeprecated: false,
      inputSchema: INPUT_SCHEMA,
      outputSchema: OUTPUT_SCHEMA,
      retryClass: method === 'GET' || method === 'HEAD' ? 'readOnly' : 'unsafe',
      isDestructive: method !== 'GET' && method !== 'HEAD',
      filters: null,
      sorts: null,
      paging: null,
      execution: { type: 'passthrough' },
    },
  };
}
