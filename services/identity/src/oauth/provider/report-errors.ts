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

/** Logs the provider's refusals and failures. A refusal's reason is the library's text, without anything that the client sent. */
export function reportErrors(
  provider: Provider,
  log: Logger,
  currentRequest: () => CurrentRequest | undefined,
): void {
  // Koa emits this event for failures outside of routes; without a listener it prints them to stderr.
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
