import type { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { FormError } from '@fairlead/service-kit/http/form';
import { sendRendered } from '@fairlead/pages/html';
import { asApiError } from '@fairlead/service-kit/http/reply';
import type { Request, Response } from 'express';
import { chooseLanguage } from './languages/choose.ts';
import type { Messages } from './languages/messages.ts';
import { connectMessagePage } from './message.page.ts';
import { NotOfferedError } from './offer.ts';

const FIRST_SERVER_ERROR = 500;

/** Shows an error without a session, in the browser's preferred language. Server errors are logged. */
export function sendErrorPage(
  exchange: Exchange,
  request: Request,
  response: Response,
  thrown: unknown,
): void {
  const language = chooseLanguage(null, request);
  const { status, title, text } = explain(thrown, language.messages);
  if (status >= FIRST_SERVER_ERROR)
    exchange.log.error({ err: thrown, route: exchange.route }, 'a connect page failed');
  const look = {
    language,
    theme: { mode: 'auto', primaryColor: null, logo: undefined },
    accountName: undefined,
    userName: undefined,
    news: undefined,
  } as const;
  const { requestId } = exchange;
  sendRendered(response, connectMessagePage({ look, status, title, text, isEnd: false, requestId }));
}

interface ErrorExplanation {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

function explain(thrown: unknown, messages: Messages): ErrorExplanation {
  if (thrown instanceof FormError)
    return { status: thrown.status, title: messages.formTitle, text: messages.startAgain };
  if (thrown instanceof NotOfferedError)
    return { status: 404, title: messages.notOfferedTitle, text: messages.notOfferedText };
  const error = asApiError(thrown);
  return { status: ERROR_CATALOGUE[error.code].http, ...explainCode(error, messages) };
}

function explainCode({ code }: ApiError, messages: Messages): Omit<ErrorExplanation, 'status'> {
  switch (code) {
    case 'NOT_FOUND':
      return { title: messages.endedTitle, text: messages.startAgain };
    case 'FORBIDDEN':
      return { title: messages.reopenTitle, text: messages.reopenText };
    case 'OAUTH_STATE_EXPIRED':
      return { title: messages.staleTitle, text: messages.staleText };
    case 'RATE_LIMIT_EXCEEDED':
      return { title: messages.tryAgainTitle, text: messages.tooManyText };
    case 'UNAVAILABLE':
    case 'TIMEOUT':
      return { title: messages.tryAgainTitle, text: messages.awayText };
    default:
      return { title: messages.failedTitle, text: `${messages.failedText} ${messages.startAgain}` };
  }
}
