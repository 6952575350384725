import type { IncomingHttpHeaders } from 'node:http';
import type { Canaries } from '@fairlead/service-kit/canary/canaries';

/** A request whose caller is known. */
interface AdmittedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Undefined: it is of no account. */
  readonly accountId: string | undefined;
  /** Id of the credential, if it has one. */
  readonly credentialId?: string | undefined;
}

/** Chooses the services whose canary serves a request, once for all of them. */
export type ChooseCanaries = (request: AdmittedRequest) => readonly string[];

/** The choice at the edge; undefined if canaries are not in use. `isOperator`: whether headers carry the operator's key. */
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
