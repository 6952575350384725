import type { Egress } from '@fairlead/egress/egress';
import { EgressError } from '@fairlead/egress/error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { FileFetcher } from '../ports/files.ts';

const FIRST_SUCCESS = 200;
const FIRST_REDIRECT = 300;

/** Fetches files through the guarded egress, because callers choose the addresses. */
export function createFileFetcher(egress: Pick<Egress, 'request'>): FileFetcher {
  return {
    async fetch(ctx, url, { maxBytes, timeoutMs }) {
      try {
        const { status, headers, body } = await egress.request({
          method: 'GET',
          url,
          signal: ctx.signal,
          timeoutMs,
          maxResponseBytes: maxBytes,
          destination: accountOf(ctx),
        });
        if (status < FIRST_SUCCESS || status >= FIRST_REDIRECT)
          return { kind: 'failed', reason: `its server responded with ${status}` };
        const name = URL.parse(url)?.pathname;
        return { kind: 'fetched', content: body, name, contentType: headers['content-type'] };
      } catch (error) {
        if (error instanceof EgressError) return { kind: 'failed', reason: error.message };
        throw error;
      }
    },
  };
}
