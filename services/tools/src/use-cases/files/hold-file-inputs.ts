import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ValueMasker } from '@fairlead/connector-runtime/value-masking';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { MAX_SHOWN_FILE_BYTES, MAX_SHOWN_JSON_BYTES, secretRepeated } from '../../domain/approval.ts';
import type { ApprovedFile } from '../../domain/approval.ts';
import { sha256Of } from '../../domain/file.ts';
import type { FileKeeper } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';
import { dropHeldFiles } from './drop-held-files.ts';
import { readFileInputs } from './read-file-inputs.ts';
import type { ReadFileInputsDeps } from './read-file-inputs.ts';
import { storeContent } from './store-content.ts';
import type { StoreContentDeps } from './store-content.ts';

/** The store and the egress of holdFileInputs. */
export interface HoldFileInputsDeps extends ReadFileInputsDeps, StoreContentDeps {
  readonly files: ReadFileInputsDeps['files'] & StoreContentDeps['files'] & Pick<Files, 'hold' | 'dropHeld'>;
}

/**
 * Reads the files of a call for its approval, and stores the contents fetched from addresses: the call later sends these, even if the
 * addresses change. Refusals as for readFileInputs; also a file whose label or displayed text contains a secret; CONFLICT if the account
 * has no storage left. After any failure nothing is stored.
 */
export async function holdFileInputs(
  deps: HoldFileInputsDeps,
  ctx: RequestContext,
  tool: { readonly inputSchema: JsonObject },
  fields: LazyObject,
  o: { readonly keeper: FileKeeper; readonly masker: ValueMasker; readonly leftMs: () => number },
): Promise<readonly ApprovedFile[]> {
  const { keeper, masker, leftMs } = o;
  const accountId = accountOf(ctx);
  const files = await readFileInputs(deps, ctx, tool, fields, { leftMs });
  const approved: ApprovedFile[] = [];
  let left = MAX_SHOWN_JSON_BYTES;
  try {
    for (const { name, source, label, content } of files) {
      const hold = async (fileId: string) =>
        (await deps.files.hold(ctx, accountId, fileId, keeper, deps.clock.now())) && fileId;
      const text = textOf(content, left);
      left -= text === null ? 0 : Buffer.byteLength(JSON.stringify(text));
      if ([label.name, label.contentType, text ?? ''].some((part) => masker.text(part) !== part))
        throw secretRepeated(`fields.${name}`);
      approved.push({
        field: name,
        ...label,
        sizeBytes: content.length,
        sha256: sha256Of(content),
        text,
        heldFileId: source.kind === 'url' ? await storeContent(deps, ctx, { label, content }, hold) : null,
      });
    }
    return approved;
  } catch (error) {
    await dropHeldFiles(deps, ctx, { approvalId: keeper.approvalId, files: approved });
    throw error;
  }
}

/** The text of a file if it is small enough to read, and its JSON has at most `maxJsonBytes`. */
function textOf(content: Buffer, maxJsonBytes: number): string | null {
  if (content.length > MAX_SHOWN_FILE_BYTES || !isUtf8(content)) return null;
  const text = content.toString('utf8');
  return Buffer.byteLength(JSON.stringify(text)) <= maxJsonBytes ? text : null;
}
