//! Generates well-formed pages from a sequence of choices: pages whose tree needs no repair, with
//! every kind of block, and with the end tags left out that HTML allows to leave out.

/// Containers of blocks, with the attributes that matter for landmarks.
const CONTAINERS: &[&str] = &[
    "div",
    "div",
    "section",
    "article",
    "aside",
    "nav",
    "header",
    "footer",
    "main",
    "address",
    "blockquote",
    "center",
    "search",
    "hgroup",
    "fieldset",
    "figure",
    "details",
    "dialog open",
    "object",
    "ins",
    "x-card",
    "dir",
    "body-part",
];

const ROLES: &[&str] = &[
    " role=main",
    " role=navigation",
    " role='presentation'",
    " role=\"nav search\"",
    " role=region",
    " role=article aria-label=x",
    " role=form",
    " role=form title=x",
    " ROLE=BANNER",
    " role=''",
    " role='x&#32;contentinfo'",
    " aria-label=' '",
    " aria-label=x",
    " aria-labelledby=x",
    " title=x",
    " class=navigation",
    " role=none",
    " role=complementary",
    " hidden",
];

const FORMATTING: &[&str] = &[
    "b", "i", "em", "span", "span", "code", "font", "u", "label", "sup", "x-y", "q", "small",
];

/// A piece of a page, and its end tag if that may be left out.
struct Piece {
    text: String,
    /// End tag that may be left out before a block, or at the end of the parent.
    end: Option<&'static str>,
    is_block: bool,
}

struct Maker<'c> {
    choose: &'c mut dyn FnMut(usize) -> usize,
    word: usize,
    /// Elements of which none may be inside another.
    in_form: bool,
    in_link: bool,
    in_button: bool,
}

/// Returns a well-formed page. `choose(n)` chooses a number below `n`.
pub(crate) fn page(choose: &mut dyn FnMut(usize) -> usize) -> String {
    let mut maker = Maker {
        choose,
        word: 0,
        in_form: false,
        in_link: false,
        in_button: false,
    };
    let heads = [
        "<!DOCTYPE html><title>t</title>",
        "<!DOCTYPE html><html><head><title>t</title></head><body>",
        "<!DOCTYPE html><meta charset=utf-8><body role=document>\n",
    ];
    let head = heads[maker.below(heads.len())];
    let blocks = maker.flow(0);
    format!("{head}{blocks}")
}

impl Maker<'_> {
    fn below(&mut self, end: usize) -> usize {
        (self.choose)(end)
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn word(&mut self) -> String {
        self.word += 1;
        let spaces = ["", " ", "\n", "  \n ", "\r\n", "\t", ""];
        let [before, after] = [(); 2].map(|()| spaces[self.below(spaces.len())]);
        format!("{before}w{}{after}", self.word)
    }

    fn role(&mut self) -> &'static str {
        if self.one_in(3) {
            ROLES[self.below(ROLES.len())]
        } else {
            ""
        }
    }

    /// Returns the content of an element that may hold blocks.
    fn flow(&mut self, depth: usize) -> String {
        let count = self.below(if depth > 3 { 2 } else { 4 }) + usize::from(depth == 0);
        let pieces: Vec<Piece> = (0..count).map(|_| self.block(depth + 1)).collect();
        self.joined(&pieces)
    }

    fn joined(&mut self, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for (at, piece) in pieces.iter().enumerate() {
            text.push_str(&piece.text);
            let may_leave_out = pieces.get(at + 1).is_none_or(|next| next.is_block);
            if let Some(end) = piece.end
                && !(may_leave_out && self.one_in(2))
            {
                text.push_str(end);
            }
        }
        text
    }

    fn block(&mut self, depth: usize) -> Piece {
        let whole = |text: String| Piece {
            text,
            end: None,
            is_block: true,
        };
        let inline = |text: String| Piece {
            text,
            end: None,
            is_block: false,
        };
        let role = self.role();
        if depth > 7 {
            return inline(self.word());
        }
        match self.below(22) {
            0..=3 => {
                // Left out before a block or the end of the parent alone.
                let text = format!("<p{role}>{}", self.phrases(depth));
                Piece {
                    text,
                    end: Some("</p>"),
                    is_block: true,
                }
            }
            4..=7 => {
                let name = CONTAINERS[self.below(CONTAINERS.len())];
                let first = match name {
                    "fieldset" => format!("<legend>{}</legend>", self.phrases(depth)),
                    "figure" => format!("<figcaption>{}</figcaption>", self.flow(depth)),
                    "details" => format!("<summary>{}</summary>", self.phrases(depth)),
                    _ => String::new(),
                };
                let end = name.split(' ').next().unwrap_or_default();
                let content = self.flow(depth);
                // A paragraph is never left open in these.
                let close = if matches!(name, "ins" | "x-card" | "body-part" | "object") {
                    "<hr>"
                } else {
                    ""
                };
                let is_block = !matches!(name, "ins" | "x-card" | "body-part" | "object");
                Piece {
                    text: format!("<{name}{role}>{first}{content}{close}</{end}>"),
                    end: None,
                    is_block,
                }
            }
            8 => {
                let level = 1 + self.below(6);
                whole(format!(
                    "<h{level}{role}>{}</h{level}>",
                    self.phrases(depth)
                ))
            }
            9 | 10 => whole(self.list(depth)),
            11 => whole(self.terms(depth)),
            12 | 13 => whole(self.table(depth)),
            14 => {
                let newline = ["", "\n", "\r\n", "<!-- -->\n"][self.below(4)];
                let name = ["pre", "listing"][self.below(2)];
                whole(format!(
                    "<{name}{role}>{newline}{}</{name}>",
                    self.phrases(depth)
                ))
            }
            15 => whole("<hr>".to_owned()),
            16 if !self.in_form => {
                self.in_form = true;
                let form = format!("<form{role}>{}</form>", self.flow(depth));
                self.in_form = false;
                whole(form)
            }
            17 => whole(format!("<xmp>{}<b>{}</xmp>", self.word(), self.word())),
            18 => whole(format!(
                "<div><template shadowrootmode=open>{}<hr></template>{}</div>",
                self.flow(depth),
                self.flow(depth)
            )),
            _ => inline(self.phrase(depth)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let name = ["ul", "ol", "menu"][self.below(3)];
        let count = self.below(4);
        let items: Vec<Piece> = (0..count)
            .map(|_| {
                let role = self.role();
                Piece {
                    text: format!("<li{role}>{}", self.flow(depth)),
                    end: Some("</li>"),
                    is_block: true,
                }
            })
            .collect();
        format!("<{name}>{}</{name}>", self.joined(&items))
    }

    fn terms(&mut self, depth: usize) -> String {
        let count = self.below(4);
        let items: Vec<Piece> = (0..count)
            .map(|_| {
                let is_term = self.one_in(2);
                let (start, end) = if is_term {
                    ("<dt>", "</dt>")
                } else {
                    ("<dd>", "</dd>")
                };
                Piece {
                    text: format!("{start}{}", self.flow(depth)),
                    end: Some(end),
                    is_block: true,
                }
            })
            .collect();
        format!("<dl>{}</dl>", self.joined(&items))
    }

    fn table(&mut self, depth: usize) -> String {
        let mut table = "<table>".to_owned();
        if self.one_in(3) {
            table += &format!("<caption>{}</caption>", self.flow(depth));
        }
        if self.one_in(4) {
            table += "<colgroup><col></colgroup>";
        }
        let mut parts = Vec::new();
        for _ in 0..1 + self.below(2) {
            let (start, end) = [
                ("<thead>", "</thead>"),
                ("<tbody>", "</tbody>"),
                ("<tfoot>", "</tfoot>"),
            ][self.below(3)];
            let count = self.below(3);
            let rows: Vec<Piece> = (0..count).map(|_| self.row(depth)).collect();
            parts.push(Piece {
                text: format!("{start}{}", self.joined(&rows)),
                end: Some(end),
                is_block: true,
            });
        }
        if self.one_in(3) {
            let count = self.below(3);
            parts = (0..count).map(|_| self.row(depth)).collect();
        }
        let space = ["", "\n"][self.below(2)];
        format!("{table}{space}{}{space}</table>", self.joined(&parts))
    }

    fn row(&mut self, depth: usize) -> Piece {
        let count = self.below(4);
        let cells: Vec<Piece> = (0..count)
            .map(|_| {
                let (start, end) = [("<td>", "</td>"), ("<th>", "</th>")][self.below(2)];
                Piece {
                    text: format!("{start}{}", self.flow(depth)),
                    end: Some(end),
                    is_block: true,
                }
            })
            .collect();
        Piece {
            text: format!("<tr>{}", self.joined(&cells)),
            end: Some("</tr>"),
            is_block: true,
        }
    }

    /// Returns the content of an element that may hold no blocks.
    fn phrases(&mut self, depth: usize) -> String {
        let count = self.below(4);
        (0..count).map(|_| self.phrase(depth + 1)).collect()
    }

    fn phrase(&mut self, depth: usize) -> String {
        if depth > 9 {
            return self.word();
        }
        let role = self.role();
        match self.below(24) {
            0..=8 => self.word(),
            9 | 10 => {
                let name = FORMATTING[self.below(FORMATTING.len())];
                format!("<{name}{role}>{}</{name}>", self.phrases(depth))
            }
            11 => "<br>".to_owned(),
            12 if !self.in_link => {
                self.in_link = true;
                let link = format!("<a href=/x{role}>{}</a>", self.phrases(depth));
                self.in_link = false;
                link
            }
            13 if !self.in_button => {
                self.in_button = true;
                let content = if self.one_in(2) {
                    self.flow(depth)
                } else {
                    self.phrases(depth)
                };
                self.in_button = false;
                format!("<button>{content}</button>")
            }
            14 => format!("<img src=x alt='a{}'>", self.word),
            15 => "<input value=x><wbr><!-- c -->".to_owned(),
            16 => self.choice(),
            17 => format!(
                "<svg><title>t</title><text>{}</text><foreignObject>{}<hr></foreignObject></svg>",
                self.word(),
                self.outside(depth)
            ),
            18 => {
                let (sign, text) = (self.word(), self.phrases(depth));
                format!("<math><mi>{sign}</mi><mtext>{text}</mtext></math>")
            }
            19 => format!("<template>{}<hr></template>", self.flow(depth)),
            20 => "<script>'<p>'</script><style>p {}</style>".to_owned(),
            21 => format!("<textarea>{}<p></textarea>", self.word()),
            22 => format!("<ruby>{}<rt>{}</ruby>", self.word(), self.word()),
            _ => format!("<object>{}<hr></object>", self.flow(depth)),
        }
    }

    /// Returns blocks in a drawing. What must not be nested is not nested there either.
    fn outside(&mut self, depth: usize) -> String {
        let were = (self.in_link, self.in_form);
        self.in_link = true;
        self.in_form = true;
        let blocks = self.flow(depth);
        (self.in_link, self.in_form) = were;
        blocks
    }

    fn choice(&mut self) -> String {
        let mut text = "<select>".to_owned();
        for _ in 0..self.below(3) {
            if self.one_in(3) {
                text += "<optgroup label=x>";
            }
            let end = ["", "</option>"][self.below(2)];
            text += &format!("<option>{}{end}", self.word());
        }
        text + "</select>"
    }
}
