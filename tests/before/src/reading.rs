//! Asks one of the libraries: the module above says which. Both have this file, so it uses what both have.

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::json::{PageJson, RulesJson};
use super::library::{
    Bot, Dialects, Facet, Facets, Filter, Licence, Limits, Mode, Names, Page, Pass, Policy, Result, RobotsTxt,
};
use crate::question::{BotNames, BotTold, PageQuestion, RobotsFile, RobotsQuestion, RobotsTold, RulingTold};

/// The JSON of a page for each of its bots, or the name of an error.
pub(crate) fn pages(question: &PageQuestion) -> std::result::Result<Vec<String>, String> {
    let read = || {
        let filter = filter(question)?;
        let pass = fed(filter.open(&question.url)?, question)?;
        Ok(pass.end_each()?.iter().map(told).collect())
    };
    read().map_err(|error: super::library::Error| error.name().to_owned())
}

fn told(page: &Page) -> String {
    let more = json!({ "showable": page.showable(), "input_title": page.input_title() });
    json!({ "page": PageJson::page(page), "more": more }).to_string()
}

fn filter(question: &PageQuestion) -> Result<Filter> {
    let bots = question.bots.iter().map(bot).collect::<Result<Vec<_>>>()?;
    let dialects = Dialects::parse(&question.dialects)?.toml(&question.toml)?;
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(question.now);
    let mut filter = Filter::for_bots(bots)?.snapshots().dialects(dialects).now(now);
    if let Some((words, pattern)) = question.deny.as_ref().and_then(|denial| denial.split_once('=')) {
        filter = filter.deny(Facets::parse(words)?, pattern)?;
    }
    if let Some(profile) = &question.profile {
        filter = filter.profile(profile);
    }
    if let Some(names) = &question.names {
        let names = Names::read(names)?;
        filter = filter.names(move |_| Some(names.clone()));
    }
    if let Some(rsl) = &question.rsl {
        let licence = Licence::read(rsl);
        filter = filter.licences(move |_| Some(licence.clone()));
    }
    let mut limits = Limits::default();
    if let Some(regions) = question.regions {
        limits = limits.regions(regions);
    }
    if let Some(depth) = question.depth {
        limits = limits.depth(depth);
    }
    Ok(filter.limits(limits))
}

fn fed(mut pass: Pass, question: &PageQuestion) -> Result<Pass> {
    if question.is_cut {
        pass.cut_short();
    }
    if let Some(file) = &question.robots {
        pass.robots_txt(&parsed(file)?);
    }
    if let Some(file) = &question.tdmrep {
        pass.robots_txt(&RobotsTxt::tdmrep(file));
    }
    for (name, value) in &question.headers {
        pass.header(name, value);
    }
    pass.write(&question.html)?;
    Ok(pass)
}

fn bot(names: &BotNames) -> Result<Bot> {
    let Some((first, aliases)) = names.split_first() else { return Ok(Bot::unnamed()) };
    aliases.iter().try_fold(Bot::new(first)?, |bot, alias| bot.alias(alias))
}

fn parsed(file: &RobotsFile) -> Result<RobotsTxt> {
    let robots = match file.status {
        Some(status) => RobotsTxt::from_response(status, &file.bytes),
        None => RobotsTxt::parse(&file.bytes),
    };
    Ok(robots.mode(Mode::parse(&file.mode)?))
}

/// The answers of a robots.txt to each bot about each URL. A name that is no bot's is left out.
pub(crate) fn robots(question: &RobotsQuestion) -> std::result::Result<RobotsTold, String> {
    let read = || {
        let robots = parsed(&question.file)?;
        let bots: Vec<Bot> = question.bots.iter().filter_map(|names| bot(names).ok()).collect();
        let all = |records: &mut dyn Iterator<Item = &str>| records.map(str::to_owned).collect();
        Ok(RobotsTold {
            notes: robots.notes().iter().map(|note| (note.kind().name().to_owned(), note.line())).collect(),
            bots: bots.iter().map(|bot| told_bot(&robots, bot, &question.urls)).collect::<Result<_>>()?,
            others: vec![
                ("sitemaps", all(&mut robots.sitemaps())),
                ("hosts", all(&mut robots.hosts())),
                ("clean-params", all(&mut robots.clean_params())),
                ("licences", all(&mut robots.licenses())),
                ("says nothing", vec![robots.says_nothing().to_string()]),
            ],
        })
    };
    read().map_err(|error: super::library::Error| error.name().to_owned())
}

fn told_bot(robots: &RobotsTxt, bot: &Bot, urls: &[String]) -> Result<BotTold> {
    let filter = Filter::new(bot.clone()).dialects(Dialects::parse("all")?);
    let now = SystemTime::UNIX_EPOCH;
    let next = robots.next_fetch(bot, now, Some(now)).duration_since(now).unwrap_or_default();
    // The notes are of the whole file, and compared once.
    let mut listed = json!(RulesJson::of(robots, bot));
    let mut rows = vec![format!("group {}, otherwise {}", listed["group"], listed["otherwise"])];
    for (kind, key) in [("rules", "rules"), ("usage", "usage"), ("usage", "records_of_use")] {
        rows.extend(listed[key].as_array_mut().into_iter().flatten().map(|row| format!("{kind} {row}")));
    }
    Ok(BotTold {
        name: bot.name().to_owned(),
        delay: robots.crawl_delay(bot).map(|delay| delay.as_secs_f64()),
        rates: robots.request_rates(bot).iter().map(ToString::to_string).collect(),
        visits: robots.visit_times(bot).iter().map(ToString::to_string).collect(),
        next_fetch: next.as_secs_f64(),
        listed: rows,
        rulings: urls.iter().map(|url| ruling(robots, bot, &filter, url)).collect::<Result<_>>()?,
    })
}

fn ruling(robots: &RobotsTxt, bot: &Bot, filter: &Filter, url: &str) -> Result<RulingTold> {
    let ruling = robots.ruling(bot, url);
    let usages = robots.usages(bot, url);
    let mut denied = Vec::new();
    if ruling.allowed() && !usages.is_empty() && url.contains("://") {
        let mut pass = filter.open_policies(url)?;
        pass.robots_txt(robots);
        let policies = pass.end()?;
        denied = policies.each().flat_map(|(_, policy)| denied_by(policy)).collect();
    }
    Ok(RulingTold {
        allowed: ruling.allowed(),
        line: ruling.line(),
        rule: ruling.rule().map(std::borrow::Cow::into_owned),
        group: ruling.group(),
        reason: ruling.reason().name().to_owned(),
        usages: usages.iter().map(|usage| (usage.key().to_owned(), usage.line(), usage.said().to_owned())).collect(),
        denied,
    })
}

fn denied_by(policy: &Policy) -> Vec<&'static str> {
    Facet::ALL.into_iter().filter(|facet| !policy.allows(*facet)).map(Facet::name).collect()
}
