import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { OutputMasker } from '../../ports/output-masker.ts';
import { maskOutput } from './mask-output.ts';

/** Wraps the client of a call: masks secrets of the call in everything that the client gets. */
export function maskClientMessages(
  deps: { readonly outputMasker: Pick<OutputMasker, 'mask'> },
  ctx: RequestContext,
  client: CallingClient,
  { masker, until }: { readonly masker: Masker; readonly until: number },
): CallingClient {
  return {
    ...client,
    // Messages are small (worker-pool).
    notify: (method, params) => client.notify(method, masker.object(params)),
    async request(method, params, withdrawn) {
      const masked = await maskOutput(deps, ctx, until, params, masker);
      if (!masked.isSuccess) throw new Error(masked.errorMessage);
      return await client.request(method, masked.output, withdrawn);
    },
  };
}
