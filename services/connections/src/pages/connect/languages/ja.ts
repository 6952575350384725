import { html } from '@fairlead/pages/html';
import type { Messages } from './messages.ts';

/** Japanese. */
export const ja: Messages = {
  connectTitle: (application) => `${application} を接続`,
  asks: ({ user, account }, application) =>
    html`${account} の ${user} さんが ${application} の接続を求めています。`,
  renewTitle: (application) => `${application} を再接続`,
  renews: ({ user, account }, application, connection) =>
    html`${account} の ${user} さんが ${application} への接続「${connection}」の更新を求めています。`,
  trust: (account) =>
    html`${account} をご存じの場合にのみ続けてください。接続は後からどちらの側でも削除できます。`,
  scopesTitle: (account) => html`${account} ができるようになること`,
  scopesAtVendor: '求められる権限は、同意する前に接続先の画面で確認できます。',
  moreScopes: (count) => `ほか ${count} 件`,
  tested: (application) => html`入力内容は、保存する前に ${application} で確認されます。`,
  optional: '（任意）',
  choose: '選択してください',
  connect: '接続する',
  signInWith: (application) => `${application} でサインイン`,
  helpLink: '確認できるページを開く',
  cancel: 'キャンセル',
  otherMethods: '別の方法で接続',
  chooseTitle: 'アプリケーションを選択',
  chooses: ({ user, account }) =>
    html`${account} の ${user} さんが、お使いのアプリケーションの接続を求めています。`,
  searchLabel: 'アプリケーションを検索',
  search: '検索',
  noMatch: '該当するアプリケーションはありません。',
  previousPage: '前のページ',
  nextPage: '次のページ',
  allApplications: 'すべてのアプリケーション',
  connected: (connection) => html`${connection} を接続しました。`,
  done: '完了',
  chooseOptionsTitle: (application) => `あと少しで完了です：${application}`,

  problemPrefix: 'エラー：',
  checkTitle: '入力内容を確認してください',
  checkText: '問題のある項目に説明が表示されています。',
  required: 'この項目は必須です。',
  notAccepted: 'この値は使用できません：',
  refusedTitle: '接続できませんでした',
  refusedText: '理由：',
  staleTitle: 'もう一度確認してください',
  staleText: 'ページを開いたまま時間が経過したか、ブラウザーが Cookie をブロックしています。',

  completedTitle: '接続が完了しました',
  cancelledTitle: '接続は行われませんでした',
  cancelledText: 'キャンセルされました。',
  withdrawnText: (account) => html`${account} がこのリンクを取り消しました。`,
  expiredTitle: 'このリンクは有効期限が切れています',
  endedTitle: 'このリンクは無効になりました',
  startAgain: '元の画面に戻り、最初からやり直してください。',
  goneTitle: 'この接続は存在しません',
  goneText: (account) =>
    html`${account} またはお客様が削除しました。元の画面に戻り、新しく接続してください。`,
  limitTitle: 'これ以上接続を追加できません',
  limitText: (account) =>
    html`${account} が許可する接続数の上限に達しています。元の画面で接続を削除してから、やり直してください。`,
  notOfferedTitle: 'このアプリケーションは利用できません',
  notOfferedText: 'ここでは接続できないか、接続できなくなりました。',
  reopenTitle: 'リンクをもう一度開いてください',
  reopenText:
    'ブラウザーにセッションが保存されていません。このサイトの Cookie を許可し、リンクを開き直してください。',
  tryAgainTitle: 'もう一度お試しください',
  tooManyText:
    'お使いのネットワークから多数のページが開かれました。数秒後にこのページを再読み込みしてください。',
  awayText: '現在、システムの一部が応答していません。',
  failedTitle: '問題が発生しました',
  failedText: '接続できませんでした。',
  formTitle: 'このフォームは受け付けられません',
  reference: '照会番号：',

  mayClose: 'このウィンドウを閉じてかまいません。',
  closeWindow: 'ウィンドウを閉じる',
  returnTo: (host) => `${host} に戻る`,

  signIn: {
    title: (application) => `${application} を接続しますか？`,
    asks: ({ user, account }, application, host) =>
      html`${account} の ${user} さんが ${application} の接続を求めています。${host} でサインインします。`,
    defaultScopes: 'アプリケーションが既定で許可する権限を求めます。内容は接続先の画面で確認できます。',
    continueTo: (application) => `${application} に進む`,
    completedTitle: 'サインインしました',
    completedText: (application) =>
      html`${application} がサインインを承認しました。このウィンドウを閉じて、元の画面で続けてください。`,
    cancelledText: 'サインインをキャンセルしました。このウィンドウを閉じてかまいません。',
    failedTitle: 'サインインできませんでした',
    brokenText: 'サインインを続けられませんでした。元の画面からやり直してください。',
    endedTitle: 'このサインインは終了しています',
    endedText:
      '有効期限が切れたか、すでに使用されたか、別のブラウザーで開始されました。元の画面に戻り、最初からやり直してください。',
    formText: 'サインインのアドレスをもう一度開いてください。',
  },
};
