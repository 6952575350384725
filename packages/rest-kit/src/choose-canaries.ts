import type { IncomingHttpHeaders } from 'node:http';
import type { Canaries } from '@fairlead/service-kit/canary/canaries';

/** A request with a known caller. */
interface AdmittedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The account; undefined: none. */
  readonly accountId: string | undefined;
  /** The credential's id, if it has one. */
  readonly credentialId?: string | undefined;
}

/** Chooses once per request which services serve it by their canary. */
export type ChooseCanaries = (request: AdmittedRequest) => readonly string[];

/**
 * The edge's choice of canaries; undefined if canaries are not in use. `isOperator`: whether headers contain the
 * operator's key.
 */
export function createCanaryChoice(
  canaries: Pick<Canaries, 'choose'> | undefined,
  isOperator: (headers: IncomingHttpHeaders) => boolean,
): ChooseCanaries | undefined {
  return (
    canaries &&
    (({ headers, accountId, credentialId }) =>
      canaries.choose({
        accountId,
        headers,
        holds: (credential) =>
          credential === 'operator' ? isOperator(headers) : credential === credentialId,
      }))
  );
}
