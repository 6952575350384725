"""Makes the table that teach.py changes. Read README.md beside this file first."""

import json
import random
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

DIMENSIONS = 128
# Words of a query, which are combined at random: the model says what they mean together.
VERBS = (
    "add,adjust,announce,answer,approve,archive,ask,assign,attach,ban,block,bring back,bring in,buy,call,call off,cancel,change,charge,"
    "check,clear,close,collect,combine,compare,confirm,convert,copy,correct,count,create,decline,delegate,delete,disable,disconnect,"
    "download,duplicate,edit,email,empty,enable,erase,export,extend,fetch,filter,find,fix,follow,forward,get,get back,get rid of,give,"
    "give back,grow,hand over,hide,how many,import,invite,kick out,label,let in,link,list,listen to,lock,log,look at,look up,make,mark,"
    "measure,merge,move,mute,notify,open,pass on,pause,pay,plan,play,post,postpone,print,publish,purge,put off,put on hold,put online,"
    "react to,read,record,refund,reject,remind,remove,rename,renew,reply to,reset,restart,restore,resume,roll back,run,save,scale,"
    "schedule,search,send,set up,share,show,shut down,sign out,sign up,skip,sort,split,start,stop,subscribe to,summarize,take away,"
    "tell,test,text,throw away,track,transfer,translate,turn down,turn off,turn on,undo,unlock,unsubscribe from,update,upload,verify,"
    "warn,watch,what are,when is,where is,which,who,write to"
).split(",")
NOUNS = (
    "account,alarm,album,alert,announcement,answer,API key,appointment,article,artist,attachment,attendee,audience,audio,availability,"
    "backup,balance,bank account,bill,blog post,board,booking,branch,bucket,bug,build,cache,calendar,campaign,card,cart,cell,"
    "certificate,channel,chart,chat,checklist,client,cluster,code review,cohort,colleague,column,comment,commit,company,contact,"
    "contract,conversation,coupon,course,crash,currency,customer,dashboard,database,deadline,deal,delivery,department,deployment,"
    "discount,disk,dispute,DNS record,document,domain,draft,email,employee,envelope,environment variable,error,event,exchange rate,"
    "expense,experiment,feature flag,file,folder,form,formula,function,funnel,gift card,grade,group,guest,homework,image,inbox,"
    "incident,investment,invoice,issue,item,job,keyword,knowledge base article,label,language,lead,loan,location,log,mailbox,"
    "mailing list,meeting,membership,message,metric,milestone,model,monitor,newsletter,note,notification,on-call engineer,opportunity,"
    "order,organization,outage,page view,parcel,password,payment,payout,PDF,permission,person,phone call,phone number,photo,pipeline,"
    "playlist,podcast,presentation,price,product,project,pull request,query,queue,quote,rating,reaction,recipient,recording,refund,"
    "release,reminder,report,repository,reservation,response,review,role,row,secret,segment,server,shipment,signature,sitemap,slide,"
    "song,speaker,spreadsheet,sprint,status page,stock,student,subscription,summary,support request,survey,table,task,tax,teacher,"
    "team,teammate,template,text message,thread,ticket,time entry,timer,topic,transaction,translation,user,video,video call,"
    "virtual machine,visitor,voice,voicemail,warehouse,weather,web page,webhook,webinar,website,wiki page,workspace"
).split(",")
ARTICLES = ["a", "the", "my", "our", "all", "every", "an old", "a new", "this", "some"]
ENDS = (
    ",by email,for a colleague,for everybody,for tomorrow,from last week,in a channel,in a project,in the shop,of a customer,of a user,"
    "of our team,on my phone,on our website,that nobody needs,with a name"
).split(",")
DESCRIPTION = re.compile(r'(?:"description"|"summary"|description|summary)"?\s*:\s*["\'>|-]*\s*([A-Z][^"\\\n]{20,400})')


def words_of(text):
    """The words of a text, as foldWord of the service writes them."""
    folded = "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
    return re.findall(r"[^\W_]+", folded.lower().replace("ß", "ss").replace("œ", "oe"))


def sentences_in(folder):
    """Short sentences of the vendors' descriptions: of equal ones about words that are rare so far, the first ones."""
    found = set()
    for path in Path(folder).iterdir():
        for match in DESCRIPTION.finditer(path.read_text(errors="ignore")):
            for part in re.split(r"(?<=[.!?])\s+", match.group(1)):
                text = re.sub(r"<[^>]+>|`|\*|\[|\]|\(http[^)]*\)", "", part).strip()
                is_plain = text.isascii() and not re.search(r"[{}/_=#]|https?:", text)
                if is_plain and 4 <= len(text.split()) <= 16 and len(text) < 110:
                    found.add(text)
    counts = Counter()
    chosen = []
    for text in random.Random(7).sample(sorted(found), len(found)):
        words = set(words_of(text))
        if sum(counts[word] < 12 for word in words) >= 2:
            chosen.append(text)
            counts.update(words)
    return chosen


def queries(count):
    draw = random.Random(11)
    parts = (VERBS, ARTICLES, NOUNS, ENDS)
    return sorted({" ".join(draw.choice(part) for part in parts).strip() for _ in range(count)} | {*VERBS, *NOUNS})


def tool_texts(catalogue):
    """Three readings of each tool, so that names count more than the rest; the texts that the service gives it a vector of; names and slugs."""
    texts, served, named = [], [], []
    for connector in json.loads(Path(catalogue).read_text())["connectors"]:
        for tool in connector["tools"]:
            name, description = tool["toolName"], tool["description"]
            category = " ".join([tool["category"], *connector["categories"]])
            sentence = re.split(r"(?<=\.)\s", description)[0]
            texts += [name, f"{name}: {sentence}"[:200], f"{name}. {sentence} ({category})"[:300]]
            texts.append(f"{connector['name']}: {name}. {description}"[:300])
            served.append(f"{name} {category} {description}"[:300])
            named.append((name, tool["toolSlug"]))
    return sorted(set(texts)), served, named


def embed(model, tokenizer, texts):
    session = onnxruntime.InferenceSession(model)
    names = [each.name for each in session.get_inputs()]
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding()
    found = numpy.zeros((len(texts), 384), numpy.float32)
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        read = tokenizer.encode_batch([texts[at] for at in batch])
        ids = numpy.array([each.ids for each in read], numpy.int64)
        mask = numpy.array([each.attention_mask for each in read], numpy.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        states = session.run(None, {name: inputs[name] for name in names})[0]
        found[batch] = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return unit(found)


def unit(rows):
    return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def train(first, texts, targets):
    """Changes the vectors so that the sum of those of a text's words points to the model's vector of the text."""
    none = len(first)
    table = numpy.concatenate([first, numpy.zeros((1, DIMENSIONS))]).astype(numpy.float32)
    start, mean, square = table.copy(), numpy.zeros_like(table), numpy.zeros_like(table)
    order = numpy.argsort([len(each) for each in texts], kind="stable")
    draw = numpy.random.default_rng(0)
    for _ in range(2):
        for batch in draw.permutation(len(texts) // 256):
            chosen = order[batch * 256 : (batch + 1) * 256]
            longest = max(len(texts[at]) for at in chosen)
            words = numpy.array([texts[at] + [none] * (longest - len(texts[at])) for at in chosen])
            sums = table[words].sum(1)
            lengths = numpy.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
            cosines = (sums / lengths * targets[chosen]).sum(1, keepdims=True)
            slopes = -(targets[chosen] - cosines * sums / lengths) / lengths
            rows, places = numpy.unique(words, return_inverse=True)
            slope = numpy.zeros((len(rows), DIMENSIONS), numpy.float32)
            numpy.add.at(slope, places.reshape(-1), numpy.repeat(slopes, longest, 0))
            slope += 0.0003 * (table[rows] - start[rows])
            mean[rows] = 0.9 * mean[rows] + 0.1 * slope
            square[rows] = 0.99 * square[rows] + 0.01 * slope**2
            table[rows] -= 0.02 * mean[rows] / (numpy.sqrt(square[rows]) + 1e-4)
            table[none] = 0
    return table[:none]


def write(out, words, table):
    """The file that the service reads: a line of JSON, and a byte for each number."""
    header = {"dimensions": DIMENSIONS, "words": words}
    scale = 127 / numpy.percentile(numpy.abs(table).max(1), 99.5)
    body = numpy.clip(numpy.round(table * scale), -127, 127).astype(numpy.int8)
    Path(out).write_bytes(json.dumps(header, separators=(",", ":")).encode() + b"\n" + body.tobytes())


def main(model, tokenizer_file, catalogue, sources, out):
    tokenizer = Tokenizer.from_file(tokenizer_file)
    vocabulary = tokenizer.get_vocab()
    tools, served, _ = tool_texts(catalogue)
    texts = sentences_in(sources) + queries(9_000) + tools
    common = sorted((word for word in vocabulary if re.fullmatch(r"[a-z][a-z0-9]+", word)), key=vocabulary.get)
    others = {word for text in [*texts, *served] for word in words_of(text)} - set(common)
    words = common + sorted(word for word in others if re.fullmatch(r"(?=.*[a-z])[a-z0-9]{2,24}", word))
    vectors = embed(model, tokenizer, texts)
    centre = vectors.mean(0)
    axes = numpy.linalg.svd((vectors - centre).T @ (vectors - centre))[0][:, :DIMENSIONS]
    single = embed(model, tokenizer, words)
    counts = Counter(word for text in served for word in set(words_of(text)))
    rarity = numpy.array([numpy.log(1 + len(served) / (1 + counts[word])) for word in words])
    # The vocabulary begins with marks and letters; then the words come about in the order of their frequency.
    rank = numpy.array([numpy.log(2 + max(0, vocabulary.get(word, 29_000) - 996)) for word in words])
    weights = numpy.sqrt(rarity * rank)
    first = unit((single - single.mean(0)) @ axes) * (weights / weights.mean())[:, None]
    place = {word: at for at, word in enumerate(words)}
    known = [[place[word] for word in words_of(text)[:60] if word in place] for text in texts]
    usable = [at for at, each in enumerate(known) if each]
    targets = unit((vectors - centre) @ axes)[usable].astype(numpy.float32)
    table = train(first, [known[at] for at in usable], targets)
    order = sorted(range(len(words)), key=lambda at: words[at])
    write(out, [words[at] for at in order], table[order])
    print(f"{len(words)} words")


if __name__ == "__main__":
    main(*sys.argv[1:])
