import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { Credential } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { createTextMasker } from '@fairlead/connector-runtime/secret-masking';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FieldOptions } from '../domain/connection.ts';
import { maskedOptions } from '../domain/vendor-text.ts';

const VENDOR_TIMEOUT_MS = 15_000;

/** The choices that the vendor offers for a new credential, secrets masked; none if the method has no such field. Throws CallFailure. */
export async function discoverOptions(
  { runtime }: { readonly runtime: Pick<ConnectorRuntime, 'fieldOptions'> },
  ctx: RequestContext,
  accountId: string,
  { head, method }: { readonly head: ConnectorHead; readonly method: AuthenticationMethod },
  credential: Credential,
): Promise<FieldOptions> {
  if (method.fields.every((field) => field.dynamicOptions === null)) return {};
  const call = { accountId, signal: ctx.signal, timeoutMs: VENDOR_TIMEOUT_MS };
  const found = await runtime.fieldOptions(head, method, credential, call);
  return maskedOptions(found, createTextMasker(credential.secrets));
}
