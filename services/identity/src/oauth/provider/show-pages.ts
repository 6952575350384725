import type { RenderedPage } from '@fairlead/pages/html';
import type { Client, Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { describeClient } from '../clients/client-kinds.ts';
import type { ServerPages, UserCodeProblem } from '../interactions.ts';

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** Responds with the page; the library adds its cookies. */
function show(ctx: KoaContextWithOIDC, { status, headers, text }: RenderedPage): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = text;
}

/** The library's errors about a user code, by their names: it does not export them. */
const PROBLEMS: Readonly<Record<string, UserCodeProblem>> = {
  NoCodeError: 'missing',
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'denied',
};

/** The device flow's pages, rendered by `pages`; `linkedCode` returns the code from the link. */
export function deviceFlowPages(
  pages: ServerPages,
  linkedCode: () => string | undefined,
): Pick<DeviceFlow, 'userCodeInputSource' | 'userCodeConfirmSource' | 'successSource'> {
  return {
    userCodeInputSource(ctx, _form, _out, error) {
      show(
        ctx,
        pages.enterUserCode({
          ...formOf(ctx),
          userCode: codeOf(error) ?? linkedCode(),
          problem: error && (PROBLEMS[error.name] ?? 'failed'),
        }),
      );
    },
    userCodeConfirmSource(ctx, _form, client: Client, _deviceInfo, userCode) {
      show(ctx, pages.confirmUserCode({ ...formOf(ctx), userCode, client: describeClient(client) }));
    },
    successSource(ctx) {
      const { client } = ctx.oidc;
      if (client === undefined) throw new Error('The device flow ended without a client.');
      show(ctx, pages.deviceConnected(describeClient(client)));
    },
  };
}

/** Shows the person an error that cannot be sent to the client. */
export function errorPage(
  pages: ServerPages,
  requestId: () => string,
): NonNullable<Configuration['renderError']> {
  return (ctx, { error, error_description: description }: ErrorOut) => {
    show(ctx, pages.showError({ status: ctx.status, error, description, requestId: requestId() }));
  };
}

function formOf(ctx: KoaContextWithOIDC): { readonly action: string; readonly xsrf: string } {
  const secret = ctx.oidc.session?.state?.['secret'];
  if (typeof secret !== 'string') throw new Error('The session has no form token.');
  return { action: new URL(ctx.oidc.urlFor('code_verification')).pathname, xsrf: secret };
}

function codeOf(error: object | undefined): string | undefined {
  return error !== undefined && 'userCode' in error && typeof error.userCode === 'string'
    ? error.userCode
    : undefined;
}
