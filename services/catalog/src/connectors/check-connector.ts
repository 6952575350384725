import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { contentHash } from '../domain/content-hash.ts';
import type { CheckedConnector } from '../ports/connector-reader.ts';

/** Checks an encoded connector; returns the parts that are stored and shown. Throws as parseConnector does. */
export function checkConnector(encodedConnector: Uint8Array): CheckedConnector {
  const connector = parseConnector(encodedConnector);
  const { tools, triggerTypes, ...head } = connector;
  // It has a name, so there is something before the tools.
  const before = JSON.stringify(head).slice(0, -1);
  const after = JSON.stringify({ tools, triggerTypes }).slice(1);
  return {
    head,
    toolCount: tools.length,
    json: `${before},${after}`,
    headLength: before.length,
    contentHash: contentHash(connector),
  };
}
