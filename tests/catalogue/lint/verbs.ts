/** Verbs with which a tool's slug may begin, after its application's slug. */
export const VERBS: ReadonlySet<string> = new Set(
  (
    'accept acknowledge activate add adjust aggregate allow answer append approve archive ask assign associate attach authorize ban ' +
    'browse build buy calculate call cancel capture change charge check clear clone close collect comment complete compose continue ' +
    'convert copy count create deactivate decline delete deploy describe detect detokenize dissociate download drop duplicate edit email ' +
    'embed empty end escalate execute expire explain export extend find follow fork forward fulfill fund generate get grade import improve insert ' +
    'inspect invite invoke isolate issue join leave link list lock log look make mark merge moderate move mute notify open pause pin ' +
    'ping post promote publish purchase purge put query quote rate react reactivate read recalculate receive record refresh refund ' +
    'register release remind remove rename render renew reopen replace reply report request rerank rerun reset resolve restart restore ' +
    'restrict resume retry return reverse revoke rollback romanize run save scale scan schedule search segment send set share sign ' +
    'simulate skip snooze sort start stop submit subscribe sum suppress suspend tag test tokenize transcribe transfer translate trash ' +
    'trigger unban unfollow unlink unlock unmark unmute unpin unpublish unschedule unshare unsubscribe unsuspend untag update upload ' +
    'upsert validate verify void wait write'
  ).split(' '),
);
