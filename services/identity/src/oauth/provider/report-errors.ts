import type { EventEmitter } from 'node:events';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Provider } from 'oidc-provider';
import type { KoaContextWithOIDC, errors } from 'oidc-provider';
import type { CurrentRequest } from '../current-request.ts';

const REFUSALS = [
  'authorization.error',
  'grant.error',
  'introspection.error',
  'revocation.error',
  'registration_create.error',
  'device_authorization.error',
  'code_verification.error',
  'device_resume.error',
  'jwks.error',
  'discovery.error',
] as const;

/** Logs what the provider refuses and what fails in it. A refusal's reason is the library's own text, without what was sent. */
export function reportErrors(
  provider: Provider,
  log: Logger,
  currentRequest: () => CurrentRequest | undefined,
): void {
  // Koa's own event for failures outside of any route; without a listener they would go to the standard error stream.
  const events: EventEmitter = provider;
  events.on('error', (error: unknown) => {
    log.error({ err: error }, 'the authorization server failed');
  });
  provider.on('server_error', (ctx, error) => {
    currentRequest()?.exchange.log.error(
      { err: error, route: ctx.oidc.route },
      'the authorization server failed',
    );
  });
  for (const event of REFUSALS) {
    events.on(event, (ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError) => {
      const { error, error_detail: detail } = refusal;
      const clientId = ctx.oidc.client?.clientId;
      currentRequest()?.exchange.log.info(
        { oauthRoute: ctx.oidc.route, oauthError: error, detail, clientId },
        'the authorization server refused',
      );
    });
  }
}
