import type { ToolCall } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isRepeatable } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import type { Inputs } from '../../domain/query.ts';
import { openVendor } from './open-vendor.ts';
import type { OpenVendorDeps } from './open-vendor.ts';

/** Everything needed to call the vendor, or the reason why there is no credential, for people. */
export type CallAccess =
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'none'; readonly errorMessage: string };

/** Opens the connection's credential, unless it was read with the connection, for a call of the tool with these inputs. */
export async function openCallCredential(
  deps: OpenVendorDeps,
  ctx: RequestContext,
  { tool, connection }: Target,
  { fields, filters, sorts, top, offset }: Inputs,
): Promise<CallAccess> {
  const opened = await openVendor(deps, ctx, { ...connection, applicationSlug: tool.applicationSlug });
  if (opened.kind === 'none') return opened;
  const query = { filters, sorts, top, offset };
  // Overrides the retry class, because the runtime retries by it, and it may be the vendor's own claim.
  const { definition } = tool;
  const isSettled = definition.retryClass === 'unsafe' || isRepeatable(tool);
  const calledTool = isSettled ? definition : { ...definition, retryClass: 'unsafe' as const };
  return { kind: 'call', call: { ...opened.vendor, tool: calledTool, fields, ...query } };
}
