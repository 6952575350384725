import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckedCall } from '../../domain/checked-call.ts';
import { inputRefusal } from '../../domain/input-refusal.ts';
import { secretsOf } from '../../domain/masking.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { openCallCredential } from './open-call-credential.ts';
import type { CallAccess } from './open-call-credential.ts';
import type { OpenVendorDeps } from './open-vendor.ts';

/** The ports that open a call, and the runtime, which previews its request. */
export interface OpenCheckedCallDeps extends OpenVendorDeps {
  readonly runtime: Pick<Runtime, 'preview'>;
}

/** Opens a call. VALIDATION_ERROR for a request outside of the application's API. */
export async function openCheckedCall(
  deps: OpenCheckedCallDeps,
  ctx: RequestContext,
  { target, inputs, maskedFields }: Pick<CheckedCall, 'target' | 'inputs' | 'maskedFields'>,
): Promise<CallAccess> {
  const opened = await openCallCredential(deps, ctx, target, inputs);
  if (opened.kind === 'none' || opened.call.tool.execution.type !== 'passthrough') return opened;
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused' && sent.inputIssues)
    throw inputRefusal(sent.inputIssues, [...secretsOf(opened.call.credential), ...maskedFields.secrets]);
  return opened;
}
