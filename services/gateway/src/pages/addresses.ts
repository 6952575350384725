/** Path of the API reference for people. */
export const DOCS_PATH = '/docs';

/** The API reference with the sign-in chosen instead of an API key. */
export const DOCS_SIGN_IN = `${DOCS_PATH}?sign-in`;

/** Path of the list of guides; each guide is below it. */
export const GUIDES_PATH = '/docs/guides';

/** Path of the OpenAPI document, for programs. */
export const OPENAPI_PATH = '/openapi.json';

/** Path of the overview for language models (llmstxt.org). */
export const LLMS_PATH = '/llms.txt';

/** Path of all guides in one text. */
export const LLMS_FULL_PATH = '/llms-full.txt';
