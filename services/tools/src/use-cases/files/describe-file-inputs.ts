import type { JsonObject } from '@fairlead/connector-model/json';
import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { MAX_APPROVED_FILES } from '../../domain/approval.ts';
import { fileInputsOf } from '../../domain/file-input.ts';
import type { FileSource } from '../../domain/file-input.ts';
import { fileLabel, sha256Of } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';

/** The store of describeFileInputs. */
export interface DescribeFileInputsDeps {
  readonly files: Pick<Files, 'find'>;
  readonly clock: Clock;
}

/**
 * The fields of a call to be approved, with a description instead of each file: name, content type, size and digest of content that is sent
 * or named by id, so that equal contents compare equal. An address stays, because its approval stores the content. NOT_FOUND for a file
 * that the account does not have, VALIDATION_ERROR for more than MAX_APPROVED_FILES.
 */
export async function describeFileInputs(
  deps: DescribeFileInputsDeps,
  ctx: RequestContext,
  { inputSchema }: { readonly inputSchema: JsonObject },
  fields: LazyObject,
): Promise<LazyObject> {
  const inputs = fileInputsOf(inputSchema, fields);
  if (inputs.length === 0) return fields;
  if (inputs.length > MAX_APPROVED_FILES)
    throw validationError({
      field: 'fields',
      issue: `must have at most ${MAX_APPROVED_FILES} files for a call that has to be approved`,
    });
  const described: Record<string, JsonObject> = {};
  for (const { name, source } of inputs) described[name] = await describe(deps, ctx, source);
  return { ...fields, ...described };
}

async function describe(
  { files, clock }: DescribeFileInputsDeps,
  ctx: RequestContext,
  source: FileSource,
): Promise<JsonObject> {
  switch (source.kind) {
    case 'url':
      return { url: source.url };
    case 'inline': {
      const content = Buffer.from(source.base64, 'base64');
      const { name, contentType } = fileLabel(source.name, undefined);
      return { name, contentType, sizeBytes: content.length, sha256: sha256Of(content) };
    }
    case 'stored': {
      const file = await files.find(ctx, accountOf(ctx), source.fileId, clock.now());
      if (file === undefined) throw notFound('file');
      const { name, contentType, sizeBytes, sha256 } = file;
      return { name, contentType, sizeBytes, sha256 };
    }
  }
}
