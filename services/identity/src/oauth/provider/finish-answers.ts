import { createHash } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { SCOPES } from '@fairlead/access/permissions';
import { METADATA_PATHS } from '@fairlead/access/well-known';

/**
 * Completes the library's responses: adds our scopes to its metadata, which lacks scopes of resources, and allows the script in its
 * self-submitting forms, and nothing else, to run.
 */
export function finishAnswers(provider: Provider): void {
  const paths: readonly string[] = METADATA_PATHS;
  provider.use(async (ctx, next) => {
    await next();
    const body: unknown = ctx.body;
    if (paths.includes(ctx.path) && typeof body === 'object') {
      ctx.body = { ...body, scopes_supported: ['openid', 'offline_access', ...SCOPES] };
    }
    if (ctx.response.type !== 'text/html' || typeof body !== 'string') return;
    if (ctx.res.hasHeader('content-security-policy')) return;
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(body) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    ctx.set(
      'content-security-policy',
      `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
    );
  });
}
