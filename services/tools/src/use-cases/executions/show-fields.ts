import type { JsonObject } from '@fairlead/connector-model/json';
import { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { overloaded } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { withoutContents } from '../../domain/file-input.ts';
import type { OutputMasker } from '../../ports/output-masker.ts';

export interface ShowFieldsDeps {
  readonly outputMasker: Pick<OutputMasker, 'secretsOf'>;
}

/** The fields of a call, safe to display. RATE_LIMIT_EXCEEDED if the secrets in them could not be found in time. */
export async function showFields(
  { outputMasker }: ShowFieldsDeps,
  ctx: RequestContext,
  { inputSchema }: { readonly inputSchema: JsonObject },
  fields: LazyObject,
  timeoutMs: number,
): Promise<FlaggedFields> {
  const preview = withoutContents(inputSchema, fields);
  const o = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs };
  const secrets = await outputMasker.secretsOf(inputSchema, preview, o);
  if (secrets === undefined)
    throw overloaded('The inputs could not be searched for secrets in time. Nothing was executed.');
  return new FlaggedFields(inputSchema, preview, secrets);
}
