import type { Credential } from '@fairlead/connector-runtime/call';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { overloaded } from '@fairlead/errors/api-error';
import type { Connection } from '../domain/connection.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { OpeningPurpose } from '../ports/credential-store.ts';
import { getCredentials } from './get-credentials.ts';

/** The vendor's answer. `isUnauthorized`: it refused the credential itself. `isOverloaded`: it was not asked. */
export type VendorReply<T> =
  | { readonly isSuccess: true; readonly value: T }
  | {
      readonly isSuccess: false;
      readonly errorMessage: string;
      readonly isUnauthorized: boolean;
      readonly isOverloaded?: boolean;
    };

/** The vendor's value, or the reason why there is none, for people. */
export type VendorAnswer<T> =
  | { readonly isSuccess: true; readonly value: T }
  | { readonly isSuccess: false; readonly errorMessage: string };

/**
 * Asks the vendor with a connection's credential; if it refuses the access token, renews it once and asks again. Secrets in error messages
 * are masked. RATE_LIMIT_EXCEEDED if too many other calls are running; then the vendor was not asked.
 */
export async function askWithCredential<T>(
  deps: DepsOf<typeof getCredentials>,
  ctx: RequestContext,
  { id, grant }: Pick<Connection, 'id' | 'grant'>,
  purpose: OpeningPurpose,
  ask: (credential: Credential) => Promise<VendorReply<T>>,
): Promise<VendorAnswer<T>> {
  const first = await getCredentials(deps, ctx, id, undefined, purpose);
  if (first.kind !== 'credential') return { isSuccess: false, errorMessage: first.message };
  const reply = await ask(first.credential);
  if (reply.isSuccess || !reply.isUnauthorized || grant === 'fields')
    return answered(reply, first.credential);
  const second = await getCredentials(deps, ctx, id, first.credential.version, purpose);
  if (second.kind !== 'credential') return { isSuccess: false, errorMessage: second.message };
  return answered(await ask(second.credential), second.credential);
}

function answered<T>(reply: VendorReply<T>, { secrets }: Credential): VendorAnswer<T> {
  if (reply.isSuccess) return reply;
  if (reply.isOverloaded === true) throw overloaded(reply.errorMessage);
  return { isSuccess: false, errorMessage: vendorText(reply.errorMessage, secrets) };
}
