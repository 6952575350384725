import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { contentHash } from '../domain/content-hash.ts';
import type { CheckedConnector } from '../ports/connector-reader.ts';

/** What is stored and shown of an encoded connector. Throws as parseConnector does. */
export function checkConnector(encodedConnector: Uint8Array): CheckedConnector {
  const connector = parseConnector(encodedConnector);
  const { tools, triggerTypes: _none, ...head } = connector;
  return {
    head,
    toolCount: tools.length,
    json: JSON.stringify(connector),
    contentHash: contentHash(connector),
  };
}
