import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { contentHash } from '../domain/content-hash.ts';
import type { CheckedConnector } from '../ports/connector-reader.ts';

/** Checks an encoded connector; returns the stored and the displayed parts. Throws as parseConnector does. */
export function checkConnector(encodedConnector: Uint8Array): CheckedConnector {
  const connector = parseConnector(encodedConnector);
  const { tools, triggerTypes, ...head } = connector;
  // The head is never empty, because it has a name; so a comma joins it to the tools.
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
