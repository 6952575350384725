import type { ToolCall } from '@fairlead/connector-runtime/call';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { BoundConnection } from '../../domain/approval.ts';
import type { CheckedCall } from '../../domain/checked-call.ts';
import { withContents } from '../../domain/file-input.ts';
import { createCallMasker } from '../../domain/masking.ts';
import { namesOf } from '../../domain/target.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import { readFileInputs } from '../files/read-file-inputs.ts';
import { admitCall } from './admit-call.ts';
import type { Admission } from './admit-call.ts';
import { requireCurrent } from './require-current.ts';

/** A call that is ready to be sent. */
export interface AdmittedCall extends Admission {
  /** Fields for the vendor, with contents of files. */
  readonly call: ToolCall;
  readonly masker: Masker;
}

/**
 * Admits a call under the current policy of its toolset, immediately before the vendor is called, and reads its files. So a refused call
 * fetches no files, and an approved one sends the content fetched for its approval. Because this may take time, toolset and connection are
 * read again afterwards.
 */
export async function admitOpenedCall(
  ports: ExecutionPorts,
  ctx: RequestContext,
  checked: CheckedCall,
  call: ToolCall,
): Promise<AdmittedCall> {
  await requireCurrent(ports, ctx, checked, call.credential);
  const { toolset, tool, connection } = checked.target;
  const names = namesOf(tool);
  const masker = createCallMasker(call.credential, checked.maskedFields.secrets);
  const leftMs = (): number => Math.max(1, checked.until - Date.now());
  const admission = await admitCall(ports, ctx, {
    origin: checked.origin,
    toolset,
    applicationSlug: tool.applicationSlug,
    ...names,
    // An MCP server could give the slug to another tool with the same version.
    toolVersion: `${names.identities[0]}@${tool.definition.version}`,
    connectionId: connection.id,
    bound: () => Promise.resolve({ connections: [boundConnection(connection.id, call)] }),
    endUserId: connection.endUserId,
    inputs: checked.inputs,
    inputSchema: call.tool.inputSchema,
    leftMs,
    shownFields: () => checked.maskedFields.shown.masked(),
    masker: () => Promise.resolve(masker),
    approval: checked.approval,
  });
  try {
    const { approval } = admission;
    const files = await readFileInputs(ports, ctx, call.tool, call.fields, { approval, leftMs });
    if (files.length > 0) await requireCurrent(ports, ctx, checked, call.credential);
    return { ...admission, masker, call: { ...call, fields: withContents(call.fields, files) } };
  } catch (error) {
    await admission.undo();
    throw error;
  }
}

/** The connection of a call with the credential in use. */
function boundConnection(id: number, { connector, method, credential }: ToolCall): BoundConnection {
  return { id, revision: credential.revision ?? '', baseUrl: method.baseUrl ?? connector.baseUrl };
}
