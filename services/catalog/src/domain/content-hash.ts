import { createHash } from 'node:crypto';
import type { Connector } from '@fairlead/connector-model/model';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';

/** A hash that changes exactly when the connector does; the order of members does not matter. */
export function contentHash(connector: Connector): string {
  return createHash('sha256').update(canonicalJson(connector)).digest('base64url');
}
