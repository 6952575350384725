import { interactionPath } from '../oauth/interactions.ts';
import { askToSignIn, continueAs, interactionOf } from './login.ts';
import { expiredPage, messagePage } from './message.page.ts';
import { queryOf, queryTextOf, redirect } from './page-call.ts';
import type { PageCall, ShowPage } from './page-call.ts';
import { UPSTREAM_PROBLEMS, upstreamProblem, upstreamStatus } from './problems.ts';
import type { UpstreamProblem } from './problems.ts';
import { UpstreamError } from './upstream-provider.ts';

/** Sends the browser to the upstream provider. */
export const beginUpstream: ShowPage = async (call) => {
  const { upstream } = call.parts;
  if (upstream === undefined) return noUpstream();
  const details = await interactionOf(call);
  try {
    const { url, setCookie } = await upstream.begin(details.id);
    call.response.append('set-cookie', setCookie);
    return redirect(call, url.href);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    logUpstream(call, error);
    return askToSignIn(call, details, {
      status: upstreamStatus('unavailable'),
      problem: upstreamProblem('unavailable', upstream.name),
    });
  }
};

/**
 * The provider's redirect ends here. Redirects on to the interaction's address, because only that address gets the interaction's cookie.
 */
export const completeUpstream: ShowPage = async (call) => {
  const { exchange, parts, request, response } = call;
  const { upstream } = parts;
  if (upstream === undefined) return noUpstream();
  const completed = await upstream.complete({
    query: queryTextOf(request),
    cookieHeader: request.headers.cookie,
  });
  if (completed === undefined) return expiredPage(exchange.requestId);
  const { interactionId, outcome } = completed;
  response.append('set-cookie', completed.clearCookie);
  const path = `${interactionPath(interactionId)}/upstream/done`;
  if (outcome.kind !== 'identified') {
    logUpstream(call, outcome.error);
    return redirect(call, `${path}?problem=${outcome.kind}`);
  }
  if (outcome.members.length === 0) return redirect(call, `${path}?problem=unknown`);
  const ticket = parts.tickets.issue(
    interactionId,
    outcome.members.map(({ user }) => user.id),
  );
  return redirect(call, `${path}?ticket=${ticket}`);
};

/** Continues as the user that the provider identified, or shows what went wrong at the provider. */
export const finishUpstream: ShowPage = async (call) => {
  const { upstream } = call.parts;
  if (upstream === undefined) return noUpstream();
  const details = await interactionOf(call);
  const query = queryOf(call);
  const userIds = call.parts.tickets.read(details.id, query.get('ticket') ?? '');
  if (userIds.length === 0) {
    const kind = problemOf(query.get('problem'));
    const problem = upstreamProblem(kind, upstream.name);
    return askToSignIn(call, details, { status: upstreamStatus(kind), problem });
  }
  const members = await Promise.all(userIds.map((userId) => call.parts.people.findMembershipsOf(userId)));
  return continueAs(call, details, members.flat());
};

function problemOf(text: string | null): UpstreamProblem {
  return UPSTREAM_PROBLEMS.find((kind) => kind === text) ?? 'expired';
}

function noUpstream(): ReturnType<typeof messagePage> {
  return messagePage({
    status: 404,
    title: 'Page not found',
    paragraphs: ['Sign-in here is by password only.'],
  });
}

function logUpstream({ exchange }: PageCall, error: UpstreamError): void {
  // Not logged as an error if the person cancelled.
  if (error.kind === 'refused') exchange.log.info({ err: error }, 'an upstream sign-in was refused');
  else exchange.log.error({ err: error }, 'the upstream provider gave no usable response');
}
