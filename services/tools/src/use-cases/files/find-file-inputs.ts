import type { JsonObject } from '@fairlead/connector-model/json';
import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { fileInputsOf } from '../../domain/file-input.ts';
import type { Files } from '../../ports/files.ts';

export interface FindFileInputsDeps {
  readonly files: Pick<Files, 'find'>;
  readonly clock: Clock;
}

/**
 * Checks the file inputs of a call without reading contents: VALIDATION_ERROR naming a malformed one, NOT_FOUND for a file that the account
 * does not have.
 */
export async function findFileInputs(
  { files, clock }: FindFileInputsDeps,
  ctx: RequestContext,
  { inputSchema }: { readonly inputSchema: JsonObject },
  fields: LazyObject,
): Promise<void> {
  for (const { source } of fileInputsOf(inputSchema, fields)) {
    if (source.kind !== 'stored') continue;
    const file = await files.find(ctx, accountOf(ctx), source.fileId, clock.now());
    if (file === undefined) throw notFound('file');
  }
}
