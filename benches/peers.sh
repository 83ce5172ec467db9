#!/usr/bin/env bash
# heedful beside other indexers, on the same pages: what each costs, and what each honours.
#
#   benches/peers.sh [--install] [--rounds N] [--write FILE] [--summary FILE]
#
# Prints three tables. `--write FILE` puts the first two into FILE, between the lines `<!-- generated: peers -->` and
# `<!-- end -->`; `--summary FILE` puts the third one there. Costs are multiples of heedful's, in the same run.
# `--install` gets the peers from Debian, as root. Pagefind comes from npm each time, into a folder that is thrown away.
# HEEDFUL is the program, else it is built. Pages: real ones (HEEDFUL_DATA, or beside the project), else the corpus' site.
#
# Cost: every tool with its defaults, but for what it needs to read all pages whole. They take turns; of each the round
# with the least CPU counts. What it honours is tried, not looked up: each convention has a page with a word that it
# withholds, and the tool is asked for that word. A peer's switch that makes it honour more is on there.
set -euo pipefail
cd "$(dirname "$0")/.."

install=0 rounds=3 write= summary=
while [ $# -gt 0 ]; do
    case "$1" in
        --install) install=1 ;;
        --rounds) rounds="$2"; shift ;;
        --write) write="$(realpath "$2")"; shift ;;
        --summary) summary="$(realpath "$2")"; shift ;;
        *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift
done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
say() { echo "$*" >&2; }
die() { say "$*"; exit 1; }

# --- Who is here ---

if [ "$install" = 1 ]; then
    [ "$(id -u)" = 0 ] || die "--install wants root"
    packages=(htdig recollcmd swish-e time xapian-omega xapian-tools)
    # A Node that is there may be another than Debian's, whose npm would not go with it.
    command -v npm >/dev/null || packages+=(nodejs npm)
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}" >/dev/null
fi
for needed in python3 /usr/bin/time; do
    command -v "$needed" >/dev/null || die "no $needed (apt-get install python3 time)"
done
program="${HEEDFUL:-}"
if [ -z "$program" ]; then
    cargo build --profile dist --package heedful-cli --features full --quiet
    program="${CARGO_TARGET_DIR:-target}/dist/heedful"
fi
program="$(realpath "$program")"
htsearch=/usr/lib/cgi-bin/htsearch

tools=(heedful)
# A peer is here if all its programs are.
peer() { # NAME PACKAGES PROGRAM...
    local name="$1" packages="$2" needed
    shift 2
    for needed in "$@"; do
        command -v "$needed" >/dev/null || { say "SKIPPED: $name, no ${needed##*/} ($packages)"; return; }
    done
    tools+=("$name")
}
peer omindex "apt-get install xapian-omega xapian-tools" omindex quest xapian-delve
peer swish "apt-get install swish-e" swish-e
peer htdig "apt-get install htdig" htdig htpurge htstat "$htsearch"
peer recoll "apt-get install recollcmd" recollindex recollq
if command -v npm >/dev/null; then
    npm install --silent --prefix "$work/npm" pagefind@1.6.0 >/dev/null 2>&1 || say "npm could not get Pagefind"
fi
peer pagefind "apt-get install nodejs npm, and a network" node "$work/npm/node_modules/.bin/pagefind"

named() {
    case "$1" in
        heedful) "$program" --version ;;
        omindex) omindex --version | sed 's/ - xapian-omega//;q' ;;
        swish) swish-e -V | sed -n 's/^SWISH-E /swish-e /p' ;;
        htdig) htdig -h 0 -? 2>&1 | sed -n 's/^This program is part of //p' ;;
        recoll) mkdir -p "$work/none" && recollq -c "$work/none" -n 0 none 2>&1 | grep -o 'Recoll [0-9.]*' ;;
        pagefind) "$work/npm/node_modules/.bin/pagefind" --version | sed 's/^pagefind/Pagefind/' ;;
    esac
}

# --- How each is run: index_TOOL SITE FOLDER makes an index, documents_TOOL FOLDER counts, search_TOOL FOLDER QUERY asks ---

# Runs a command; what it took becomes a line of FOLDER.cost, what it said goes to FOLDER.log.
timed() { # FOLDER COMMAND...
    local folder="$1"
    shift
    if ! /usr/bin/time -a -o "$folder.cost" -f '%U %S %e %M' "$@" >>"$folder.log" 2>&1; then
        tail -n 20 "$folder.log" >&2
        die "failed: $*"
    fi
}

conventions=web
index_heedful() { timed "$2" "$program" index -o "$2" "$1" --url https://site.example/ --conventions "$conventions"; }
documents_heedful() { sed -n 's/.* pages, \([0-9]*\) indexed.*/\1/p' "$1.log"; }
search_heedful() { "$program" search "$1" "$2" || true; }

index_omindex() { timed "$2" omindex --db "$2" --url / "$1"; }
documents_omindex() { xapian-delve "$1" | sed -n 's/^number of documents = //p'; }
search_omindex() { quest --db "$1" --stemmer none "$2"; }

# It honours META robots if asked; excerpts are kept if asked, so the probe asks for both.
swish_more=
index_swish() {
    printf '%s\n' "IndexDir $1" "IndexFile $2/index" "IndexOnly .html" "DefaultContents HTML2" "$swish_more" > "$2/swish.conf"
    timed "$2" swish-e -c "$2/swish.conf"
}
documents_swish() { grep -ao '[0-9,]* files indexed' "$1.log" | tr -d -c '0-9'; }
search_swish() { swish-e -f "$1/index" -w "$2" -x '<swishdocpath> <swishdescription>\n'; }

# It crawls, from index.html, but takes each URL from its file. Its own limits would cut long pages and words.
htdig_hops=1
index_htdig() {
    printf '%s\n' "database_dir: $2" "start_url: http://site.example/index.html" "limit_urls_to: http://site.example/" \
        "local_urls: http://site.example/=$1/" "local_urls_only: true" "max_hop_count: $htdig_hops" \
        "max_doc_size: 100000000" "maximum_word_length: 40" > "$2/htdig.conf"
    timed "$2" htdig -i -c "$2/htdig.conf"
    timed "$2" htpurge -c "$2/htdig.conf"
}
documents_htdig() { htstat -v -c "$1/htdig.conf" 2>&1 | sed -n 's/^htstat: Total documents: //p'; }
search_htdig() { env -u REQUEST_METHOD "$htsearch" -c "$1/htdig.conf" "words=$2"; }

index_recoll() {
    printf '%s\n' "topdirs = $1" "onlyNames = *.html" "noaspell = 1" > "$2/recoll.conf"
    timed "$2" recollindex -c "$2" -z
}
documents_recoll() { recollq -c "$1" -n 0 mime:text/html 2>/dev/null | sed -n 's/ results$//p'; }
search_recoll() { recollq -c "$1" -m "$2" 2>/dev/null; }

index_pagefind() { timed "$2" "$work/npm/node_modules/.bin/pagefind" --site "$1" --output-path "$2"; }
documents_pagefind() { sed -n 's/^ *Indexed \([0-9]*\) pages\{0,1\}$/\1/p' "$1.log"; }
search_pagefind() { node "$work/find.mjs" "$1" "$2"; }
cat > "$work/find.mjs" <<'END'
// Asks Pagefind's own search, which is made for a browser.
import { readFile } from "node:fs/promises";
const [folder, query] = process.argv.slice(2);
globalThis.fetch = async url => new Response(await readFile(new URL(url)));
globalThis.location ??= new URL("file:///");
const pagefind = await import(`file://${folder}/pagefind.js`);
await pagefind.options({ basePath: `file://${folder}/`, baseUrl: "/", noWorker: true });
const found = await pagefind.search(query);
for (const page of await Promise.all(found.results.map(result => result.data()))) console.log(page.url, page.excerpt);
END

# --- What each costs ---

# Real pages, each under two names, and one that links to them all; else the corpus' site often.
mkdir "$work/pages"
read -r pages bytes kind < <(python3 - "${HEEDFUL_DATA:-../shared/data}" "$work/pages" <<'END'
import base64, glob, gzip, json, os, sys
data, to = sys.argv[1:]
texts, copies, kind = [], 2, "real pages"
for name in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]:
    if os.path.exists(os.path.join(data, name)):
        for line in gzip.open(os.path.join(data, name)):
            page = json.loads(line)
            text = base64.b64decode(page["html_b64"]) if "html_b64" in page else page["html"].encode()
            # Where one page has it, Pagefind passes over all others: it takes what it reads for one site.
            if b"data-pagefind-body" not in text:
                texts.append(text)
if not texts:
    print(f"SKIPPED: no real pages at {data}; the corpus' site, 400 times", file=sys.stderr)
    texts = [open(name, "rb").read() for name in sorted(glob.glob("corpus/site/**/*.html", recursive=True))]
    copies, kind = 400, "pages of the corpus' site"
for copy in range(copies):
    for number, text in enumerate(texts):
        with open(f"{to}/{number}-{copy}.html", "wb") as file:
            file.write(text)
with open(f"{to}/index.html", "w") as file:
    file.write("<!DOCTYPE html><html lang=en><title>All</title><body>")
    file.writelines(f"<a href={number}-{copy}.html>page</a> " for copy in range(copies) for number in range(len(texts)))
print(copies * len(texts), copies * sum(map(len, texts)), f"{kind} ({len(texts)}, each under {copies} names)")
END
)

# Of a run: CPU, wall, memory.
took() { awk '{ cpu += $1 + $2; wall += $3; if ($4 > most) most = $4 } END { print cpu, wall, most }' "$1.cost"; }

declare -A best documents size
for round in $(seq "$rounds"); do
    for tool in "${tools[@]}"; do
        folder="$work/$tool"
        rm -rf "$folder" "$folder.cost" "$folder.log"
        mkdir "$folder"
        "index_$tool" "$work/pages" "$folder"
        cost="$(took "$folder")"
        say "round $round: $tool $cost"
        if [ -z "${best[$tool]:-}" ] || [ "$(printf '%s\n' "$cost" "${best[$tool]}" | sort -g | head -n 1)" = "$cost" ]; then
            best[$tool]="$cost"
        fi
        documents[$tool]="$("documents_$tool" "$folder")"
        size[$tool]="$(du -sb "$folder" | cut -f 1)"
        rm -rf "$folder"
    done
done

# Of a tool: CPU, wall and memory as multiples of heedful's, the size of its index in MB, its pages.
cost_row() { # FORMAT TOOL
    local cpu wall most own_cpu own_wall own_most
    read -r own_cpu own_wall own_most <<< "${best[heedful]}"
    read -r cpu wall most <<< "${best[$2]}"
    awk -v format="$1" -v name="$(named "$2")" -v cpu="$cpu" -v wall="$wall" -v most="$most" -v own_cpu="$own_cpu" \
        -v own_wall="$own_wall" -v own_most="$own_most" -v size="${size[$2]}" -v documents="${documents[$2]}" 'BEGIN {
            printf format, name, cpu / own_cpu, most / own_most, wall / own_wall, size / 1e6, documents }'
}

cost_table() {
    local cpu wall most
    read -r cpu wall most <<< "${best[heedful]}"
    awk -v pages="$pages" -v kind="$kind" -v bytes="$bytes" -v cores="$(nproc)" -v rounds="$rounds" \
        -v cpu="$cpu" -v wall="$wall" -v most="$most" 'BEGIN {
            printf "Cost: %d %s, %d MB; %d cores; the best of %d rounds. ", pages, kind, bytes / 1e6, cores, rounds
            printf "heedful took %.1f s of CPU, %.1f s of time and %.0f MB of memory.\n", cpu, wall, most * 1024 / 1e6 }'
    echo
    echo '| | CPU | memory | time | index on disk | pages in it |'
    echo '|---|---|---|---|---|---|'
    local tool
    for tool in "${tools[@]}"; do cost_row '| %s | %.1f | %.1f | %.1f | %.0f MB | %d |\n' "$tool"; done
}

# --- What each honours ---

# The word that makes a page's others its own, the opening mark, the closing one.
regions=(
    'robots|<!-- robots content="none" -->|<!-- /robots -->'
    'yandex|<!--noindex-->|<!--/noindex-->'
    'appliance|<!--googleoff: all-->|<!--googleon: all-->'
    'swisher|<!-- SwishCommand noindex -->|<!-- SwishCommand index -->'
    'digger|<!--htdig_noindex-->|<!--/htdig_noindex-->'
    'udmer|<!--UdmComment-->|<!--/UdmComment-->'
    'russian|<noindex>|</noindex>'
    'classy|<span class="robots-noindex">|</span>'
    'finder|<span data-pagefind-ignore>|</span>'
)
# Attributes that mark an element: what it contains says the tree, not the tags.
attributes=('classy|class="robots-noindex"' 'finder|data-pagefind-ignore')

site="$work/site"
mkdir -p "$site/private"
probe() { # NAME HEAD BODY
    printf '<!DOCTYPE html>\n<html lang="en"><head><title>Probe</title>%s</head>\n<body>%s</body></html>\n' "$2" "$3" > "$site/$1.html"
}
probe control '' '<p>controlleft controlright</p>'
probe meta '<meta name="robots" content="noindex">' '<p>metainner</p>'
probe none '<meta name="robots" content="none">' '<p>noneinner</p>'
probe preview '<meta name="robots" content="max-image-preview:none">' '<p>previewinner</p>'
probe private/shut '' '<p>shutinner</p>'
printf 'User-agent: *\nDisallow: /private/\n' > "$site/robots.txt"
probe led '' '<p>ledinner</p>'
probe leader '<meta name="robots" content="nofollow">' '<p><a href="led.html">on</a></p>'
probe relled '' '<p>relledinner</p>'
probe relleader '' '<p><a rel="nofollow" href="relled.html">on</a></p>'
probe snippet '' '<p>snippetleft <span data-nosnippet>snippetinner</span> snippetright</p>'
for region in "${regions[@]}"; do
    IFS='|' read -r word open close <<< "$region"
    # A region between words, one inside a word, one in one of its kind.
    probe "$word" '' "<p>${word}left $open ${word}inner $close ${word}right</p>
<p>${word}glu${open} ${word}other ${close}ed</p>
<p>${word}before $open ${word}outer $open ${word}deep $close ${word}nested $close ${word}behind</p>"
done
for attribute in "${attributes[@]}"; do
    IFS='|' read -r word mark <<< "$attribute"
    # </p> does not end the marked <b>: browsers open it again in the next paragraph. <li> does end a marked <li>.
    probe "mis$word" '' "<p>mis${word}left <b $mark>mis${word}inner</p><p>mis${word}leak</p><p>and</b> mis${word}right</p>"
    probe "imp$word" '' "<ul><li $mark>imp${word}inner<li>imp${word}next</ul><p>imp${word}right</p>"
done
# What a crawler starts from: all pages but those to which only a link leads that is not to be followed.
(cd "$site" && for page in *.html private/*.html; do
    case "$page" in led.html | relled.html) ;; *) echo "<a href=\"$page\">page</a>" ;; esac
done) > "$work/start"
probe index '' "$(cat "$work/start")"

# Whether a page is found by a query.
found() { # TOOL PAGE QUERY
    [[ "$("search_$1" "$work/probe-$1" "$3")" == *"/$2.html"* ]]
}

declare -A cell
# A page that is to be left out whole.
judge_page() { # TOOL PAGE
    if found "$1" "$2" "${2##*/}inner"; then cell[$1,$2]='**indexed**'; else cell[$1,$2]=out; fi
}
judge_link() { # TOOL PAGE LEADER
    if [ "$1" = htdig ]; then
        if found "$1" "$2" "${2}inner"; then cell[$1,$2]='**followed**'; else cell[$1,$2]='not followed'; fi
    elif [ "$1" = heedful ] && "$program" links "$site/$3.html" | grep -q "^nofollow.*$2.html"; then
        cell[$1,$2]='reported'
    else
        cell[$1,$2]=–
    fi
}
# How many of the regions that a tool leaves out have a fault.
count() { # FAULTY ALL
    if [ "$2" = 0 ]; then echo –; elif [ "$1" = 0 ]; then echo no; else echo "**yes**, $1 of $2"; fi
}
judge_regions() { # TOOL
    local tool="$1" region word honoured=0 phrases=0 glued=0 nested=0
    for region in "${regions[@]}"; do
        word="${region%%|*}"
        if found "$tool" "$word" "${word}inner"; then
            cell[$tool,$word]='**indexed**'
        elif ! found "$tool" "$word" "${word}left"; then
            cell[$tool,$word]='**the page is lost**'
        elif ! found "$tool" "$word" "${word}right"; then
            cell[$tool,$word]='out, **and all that follows**'
        else
            cell[$tool,$word]=out
            honoured=$((honoured + 1))
            if found "$tool" "$word" "\"${word}left ${word}right\""; then phrases=$((phrases + 1)); fi
            if found "$tool" "$word" "${word}glued"; then glued=$((glued + 1)); fi
            if found "$tool" "$word" "${word}nested"; then nested=$((nested + 1)); fi
        fi
    done
    cell[$tool,phrases]="$(count "$phrases" "$honoured")"
    cell[$tool,glued]="$(count "$glued" "$honoured")"
    cell[$tool,nested]="$(count "$nested" "$honoured")"
}
judge_attributes() { # TOOL
    local tool="$1" attribute word honoured=0 leaks=0 losses=0
    for attribute in "${attributes[@]}"; do
        word="${attribute%%|*}"
        [ "${cell[$tool,$word]}" = out ] || continue
        honoured=$((honoured + 1))
        if found "$tool" "mis$word" "mis${word}leak"; then leaks=$((leaks + 1)); fi
        if ! found "$tool" "imp$word" "imp${word}next"; then losses=$((losses + 1)); fi
    done
    cell[$tool,leaks]="$(count "$leaks" "$honoured")"
    cell[$tool,losses]="$(count "$losses" "$honoured")"
}

conventions=all htdig_hops=100
swish_more=$'obeyRobotsNoIndex yes\nStoreDescription HTML2 <body> 1000'
for tool in "${tools[@]}"; do
    mkdir "$work/probe-$tool"
    "index_$tool" "$site" "$work/probe-$tool"
    # Else nothing that is not found says anything.
    found "$tool" control controlright || die "$tool finds no word"
    found "$tool" control '"controlleft controlright"' || die "$tool finds no phrase"
    if found "$tool" control '"controlright controlleft"'; then die "$tool takes any words for a phrase"; fi
    for page in meta none private/shut; do judge_page "$tool" "$page"; done
    if found "$tool" preview previewinner; then cell[$tool,preview]=no; else cell[$tool,preview]='**yes**'; fi
    judge_link "$tool" led leader
    judge_link "$tool" relled relleader
    case "$("search_$tool" "$work/probe-$tool" snippetleft)" in
        *snippetinner*) cell[$tool,snippet]='**shown**' ;;
        *snippetright*) cell[$tool,snippet]='not shown' ;;
        *) cell[$tool,snippet]='nothing shown' ;;
    esac
    judge_regions "$tool"
    judge_attributes "$tool"
done

row() { # KEY LABEL
    local tool
    printf '| %s |' "$2"
    for tool in "${tools[@]}"; do printf ' %s |' "${cell[$tool,$1]}"; done
    echo
}
# shellcheck disable=SC2016 # Backticks are Markdown's.
honours_table() {
    local tool region word open close
    printf '| a word withheld by |'
    for tool in "${tools[@]}"; do printf ' %s |' "$(named "$tool")"; done
    printf '\n|---|'
    for tool in "${tools[@]}"; do printf -- '---|'; done
    echo
    row meta 'META `noindex`'
    row none 'META `none`'
    row private/shut 'robots.txt'
    row led 'META `nofollow` on the way to it'
    row relled 'a link with `rel=nofollow` on the way to it'
    for region in "${regions[@]}"; do
        IFS='|' read -r word open close <<< "$region"
        case "$open" in '<!'*) row "$word" "comment \`$open\`" ;; *) row "$word" "element \`$open\`" ;; esac
    done
    row snippet 'in the excerpt: `data-nosnippet`'
    row preview 'META `max-image-preview:none` costs the page'
    row phrases 'a phrase is found across a region that is left out'
    row glued 'what stands on both sides of it becomes one word'
    row nested 'a region inside one of its kind ends both'
    row leaks 'leaks what a marked `<b>` holds, misnested'
    row losses 'loses what follows a marked `<li>` without end tag'
}

# The words of pages that a tool found or showed: links and what no publisher wrote are not among them.
summary_table() {
    local tool key row leaked asked
    local keys=(meta none private/shut snippet)
    for row in "${regions[@]}"; do keys+=("${row%%|*}"); done
    echo '| program | CPU | memory | withheld words found or shown | a phrase matches across a removed region |'
    echo '|---|---|---|---|---|'
    for tool in "${tools[@]}"; do
        leaked=0 asked=0
        for key in "${keys[@]}"; do
            asked=$((asked + 1))
            case "${cell[$tool,$key]}" in '**'*) leaked=$((leaked + 1)) ;; esac
        done
        cost_row '| %s | %.1f | %.1f |' "$tool"
        case "${cell[$tool,phrases]}" in '**'*) row=yes ;; *) row=no ;; esac
        echo " $leaked of $asked | $row |"
    done
}

into() { # TABLES FILE
    [ "${#tools[@]}" = 6 ] || die "$2 is left as it was: a peer is missing"
    grep -qxF '<!-- generated: peers -->' "$2" || die "$2 has no line <!-- generated: peers -->"
    awk -v tables="$1" '
        $0 == "<!-- end -->" && inside { inside = 0; print "" }
        !inside
        $0 == "<!-- generated: peers -->" { inside = 1; print ""; while ((getline line < tables) > 0) print line }
    ' "$2" > "$work/written"
    cat "$work/written" > "$2"
}

{ cost_table; printf '\nResults:\n\n'; honours_table; } > "$work/tables"
summary_table > "$work/summary"
cat "$work/tables"
echo
cat "$work/summary"
if [ -n "$write" ]; then into "$work/tables" "$write"; fi
if [ -n "$summary" ]; then into "$work/summary" "$summary"; fi
